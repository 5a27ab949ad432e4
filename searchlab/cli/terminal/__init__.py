"""Games on a terminal: played by a person with single keys, or watched; each module is one layer of it.

`device` has the terminal while the screen is up, and gives it back whatever happens. `keys` says what was typed,
`painting` makes lines of what is to be seen, in the colours of `palette`, and `screen` writes those that have changed.
`advisor` lets a player think in a process of its own. On these stand `by_hand`, `watching`, and where there is no such
terminal `by_line`.
"""
