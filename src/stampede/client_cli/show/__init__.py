"""The show: a whole race, from the server's start to the standings, in half a minute."""
