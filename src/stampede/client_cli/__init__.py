"""A guest of the house: the command line client. Knows the game and the protocol, never the server."""
