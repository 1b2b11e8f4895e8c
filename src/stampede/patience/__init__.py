"""The ground floor: the law of the game.

Cards, deals, rulesets, the referee and the game itself. Standard library only: no clock, no chance and no
I/O, so that a log can be judged again anywhere and always comes out the same.
"""
