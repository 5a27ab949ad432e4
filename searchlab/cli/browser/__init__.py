"""Games in the browser: a person plays, asks for hints, watches a player and takes over, on one page.

`app` serves the page and returns the `Game`. `window` plays: it does what the page asks for, lets the player move, and
says what the page shows, which `view` lays out. `server` is HTTP: who may ask, and how states reach the page. Rules,
chance and players are here in Python; the page draws and sends what was pressed.
"""
