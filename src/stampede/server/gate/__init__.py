"""The fifth floor: the street door. One socket a session, outboxes, limits, HTTP pages."""
