"""The doctor: looks at what the server would run on, and says what that means for those who race.

It can be asked beside a running server: it opens no log, and leaves nothing behind.
"""
