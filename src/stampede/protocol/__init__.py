"""The first floor: the words on the wire. What a client may say, what the server says, and the codec for both."""
