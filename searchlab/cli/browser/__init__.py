"""Games in the browser: on one page a person plays, asks for hints, watches a player and takes over.

`app` serves the page and returns the `Game`. `window` plays: it executes the page's commands, lets the player move, and
computes the state that the page shows; `view` lays it out. `server` is the HTTP part: access, and sending states to the
page. Rules, chance and players run here in Python; the page only draws, and sends key presses and clicks.
"""
