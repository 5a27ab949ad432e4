"""Games as rows of a table.

COLUMNS, a row a game:

| column | what it holds |
| --- | --- |
| board | the rows of the board it was played from; missing where it began as games of the domain do |
| domain, player | as they are spelled |
| status | how it ended, a category |
| reason | one line on why, missing where the status says it all |
| score, moves | what the moves earned and how many there were, missing where nobody knows |
| largest_tile, final | the largest tile of the last board, and its rows |
| seconds, cpu_seconds, moves_per_second | what it took |
| actions | the moves, in the letters of `searchlab.experiments.notation` |
| versions | `name=version` of what it was computed with, separated by blanks |
"""

from __future__ import annotations

COLUMNS = {
    "board": "string",
    "domain": "string",
    "player": "string",
    "status": "category",
    "reason": "string",
    "score": "Float64",
    "largest_tile": "Int64",
    "moves": "Int64",
    "seconds": "float64",
    "cpu_seconds": "float64",
    "moves_per_second": "Float64",
    "actions": "string",
    "final": "string",
    "versions": "string",
}
"""The columns of a table of games, with their types in pandas."""
STATUSES = ("goal", "dead", "move-limit", "time-limit", "memory-limit", "error")
"""How games of an experiment end; `dead`: no move was left."""
