"""The server: decisions (`race`), memory (`log`), what runs (`hall`) and the street door (`gate`)."""
