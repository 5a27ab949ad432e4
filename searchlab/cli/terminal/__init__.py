"""Games on a terminal: a person plays with single keys, or watches a player.

`app` chooses how a game is played and returns the `Game`. `device` takes the terminal, reads keys and draws lines;
`view` lays out a position as lines. `by_hand` and `watching` are the two kinds of games; `advisor` runs a player in a
separate process.
"""
