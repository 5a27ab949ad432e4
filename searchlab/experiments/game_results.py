"""Games as a table: a row a game, with columns that say what was played, how it ended and what it was done with.

| column | type | what it holds |
| --- | --- | --- |
| `board_name` | string | what the board is called that it was played from; missing for the domain's own opening |
| `board` | string | its rows, separated by ` / `; of a large board its shape and hash; missing without a board |
| `domain`, `player` | string | what was played by whom, as it is spelled |
| `seed` | Int64 | of the game's random numbers and the player's, missing where there are none |
| `repetition` | int64 | 1 for the first time the same is done |
| `status` | category | `goal`, `dead` (no move was left), `move-limit`, `time-limit`, `memory-limit` or `error` |
| `reason` | string | one line on why, missing where the status says it all |
| `score` | Float64 | what the moves earned until the game ended, however it ended; missing where nobody knows |
| `largest_tile` | Int64 | of the last board, missing likewise |
| `moves` | Int64 | how many were made, missing likewise |
| `seconds`, `cpu_seconds` | float64 | wall time and processor time of the game |
| `moves_per_second` | Float64 | of wall time, missing without a move |
| `actions` | string | the moves, a letter each: with the seed they are the whole game |
| `final` | string | the rows of the last board, as those of `board` |
| `limit_seconds` | float64 | the time a game might take, missing without a limit |
| `limit_memory`, `limit_moves` | Int64 | bytes and moves, missing without a limit |
| `attempt` | int64 | 1 for the first time the game was tried |
| `finished` | datetime64[us, UTC] | when |
| `worker` | string | which process did it: its machine and number |
| `host`, `machine` | string | the machine's name; its system, processor and cores |
| `versions` | string | `name=version` of what it was computed with, separated by blanks |
| `plugins` | string | `name=fingerprint` of the plugins whose code it ran, separated by blanks |
| `identity` | string | the same for the same game everywhere, and for no other |
"""

from __future__ import annotations

from searchlab.experiments import game_columns as games
from searchlab.experiments.columns import OF_DOING


def _of_game(*names: str) -> dict[str, str]:
    """Return columns that a table of games has as well."""
    return {name: games.COLUMNS[name] for name in names}


COLUMNS = {
    "board_name": "string",
    **_of_game("board", "domain", "player"),
    "seed": "Int64",
    "repetition": "int64",
    **_of_game("status", "reason", "score", "largest_tile", "moves"),
    **_of_game("seconds", "cpu_seconds", "moves_per_second", "actions", "final"),
    "limit_seconds": "float64",
    "limit_memory": "Int64",
    "limit_moves": "Int64",
    **OF_DOING,
}
"""The columns of the results of an experiment of games, with their types in pandas."""
