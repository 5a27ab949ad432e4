"""The columns of tables of results, each defined once: its type, where its cells come from, what it holds.

The types in pandas and SQLite, the checks of a store, and the tables in docs/ follow from the lists here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

IN_SQLITE = {"string": "TEXT", "category": "TEXT", "float64": "REAL", "Float64": "REAL"}
"""The types in SQLite by those in pandas; all others are INTEGER."""
NEVER_MISSING = ("category", "bool", "int64")
"""The types in pandas of columns that have a value in each row."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: its name.
        dtype: its type in pandas.
        doc: what it holds, in the words of docs/.
        declaration: of its type in SQLite; by default the type that fits `dtype`.
        is_stored: whether a store has this column; it derives the others from what a run was done with.
        is_needed: whether each row of a store has a value.
    """

    name: str
    dtype: str
    doc: str = ""
    declaration: str = ""
    is_stored: bool = True
    is_needed: bool = False

    def __post_init__(self) -> None:
        declaration = self.declaration or IN_SQLITE.get(self.dtype, "INTEGER")
        needed = self.is_needed or "NOT NULL" in declaration or self.dtype in NEVER_MISSING
        object.__setattr__(self, "declaration", declaration)
        object.__setattr__(self, "is_needed", needed)


def dtypes(columns: Iterable[Column]) -> dict[str, str]:
    """Return the types in pandas by column."""
    return {column.name: column.dtype for column in columns}


def markdown(columns: Iterable[Column], *, types: bool = True) -> str:
    """Return the table that describes columns in docs/: neighbours with one type and description share a row.

    Args:
        types: whether it has a column with the types.
    """
    head = ["column", "type", "what it holds"] if types else ["column", "what it holds"]
    rows = [head, ["---"] * len(head)]
    for (dtype, doc), group in groupby(columns, lambda column: (column.dtype if types else "", column.doc)):
        names = ", ".join(f"`{column.name}`" for column in group)
        rows.append([names, dtype, doc] if types else [names, doc])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


IDENTITY = (
    Column("identity", "string", "the same for the same run everywhere, and for no other", "TEXT NOT NULL"),
    Column("attempt", "int64", "1 for the first time it was tried", "INTEGER NOT NULL"),
)
OPTIMAL_COST = Column("optimal_cost", "Float64", "what a cheapest solution costs, missing where nobody says")
REPETITION = Column("repetition", "int64", "1 for the first time the same is done", "INTEGER NOT NULL")
LIMIT_SECONDS = Column("limit_seconds", "float64", "the time it might take, missing without a limit")
SEARCH_RUN = (
    *IDENTITY,
    Column(
        "board_name",
        "string",
        "what the board is called: a file, a shipped board, a generator with its seed",
        "TEXT NOT NULL",
    ),
    OPTIMAL_COST,
    Column("seed", "Int64", "what every part that takes a seed was given, missing where none does"),
    REPETITION,
    LIMIT_SECONDS,
    Column("limit_memory", "Int64", "bytes and nodes, missing without a limit"),
    Column("limit_expansions", "Int64", "bytes and nodes, missing without a limit"),
)
"""The columns that say which search it is."""
GAME_RUN = (
    *IDENTITY,
    Column(
        "board_name",
        "string",
        "what the board is called that it was played from; missing for the domain's own opening",
        "TEXT NOT NULL",
    ),
    OPTIMAL_COST,
    Column("seed", "Int64", "of the game's random numbers and the player's, missing where there are none"),
    REPETITION,
    LIMIT_SECONDS,
    Column("limit_memory", "Int64", "bytes and moves, missing without a limit"),
    Column("limit_moves", "Int64", "bytes and moves, missing without a limit"),
)
"""The columns that say which game it is."""
PARTS = "what was combined, spelled in full"
FIGURE = "the search's figures"
TIMES = "wall time and processor time of the search"
REASON = Column("reason", "string", "one line on why, missing where the status says it all")
VERSIONS = Column(
    "versions", "string", "`name=version` of what it was computed with, separated by blanks", is_stored=False
)
SEARCH_OUTCOME = (
    Column(
        "board", "string", "its rows, separated by ` / `; of a large board its shape and hash; missing where unreadable"
    ),
    Column("domain", "string", PARTS, is_needed=True),
    Column("heuristic", "string", PARTS, is_needed=True),
    Column("frontier", "string", PARTS, is_needed=True),
    Column("engine", "string", "`compiled` or `readable`"),
    Column("batch", "int64", "nodes expanded before the new ones were evaluated together"),
    Column("status", "category", "how the search ended; the categories are all statuses there are"),
    REASON,
    Column("moves", "Int64", "of the solution, missing without one"),
    Column("cost", "Float64", "of the solution, missing without one"),
    Column("optimal", "bool", "whether it is proved that no solution is cheaper"),
    *(Column(name, "int64", FIGURE) for name in ("expanded", "generated", "evaluated", "reopened", "duplicates")),
    *(Column(name, "int64", FIGURE) for name in ("stored", "max_open")),
    Column("peak_bytes", "int64", "the most bytes the search held"),
    Column("seconds", "float64", TIMES),
    Column("cpu_seconds", "float64", TIMES),
    Column("actions", "string", "the moves, separated by blanks, missing without a solution"),
    VERSIONS,
)
"""The outcome of a search: the columns of `searchlab.table`, in its order."""
GAME_TIMES = "wall time and processor time of the game"
GAME_OUTCOME = (
    Column(
        "board", "string", "its rows, separated by ` / `; of a large board its shape and hash; missing without a board"
    ),
    Column("domain", "string", "what was played by whom, spelled in full", is_needed=True),
    Column("player", "string", "what was played by whom, spelled in full", is_needed=True),
    Column(
        "status", "category", "`goal`, `dead` (no move was left), `move-limit`, `time-limit`, `memory-limit` or `error`"
    ),
    REASON,
    Column(
        "score", "Float64", "what the moves earned until the game ended, however it ended; missing where nobody knows"
    ),
    Column("largest_tile", "Int64", "of the last board, missing likewise"),
    Column("moves", "Int64", "how many were made, missing likewise"),
    Column("seconds", "float64", GAME_TIMES),
    Column("cpu_seconds", "float64", GAME_TIMES),
    Column("moves_per_second", "Float64", "of wall time, missing without a move"),
    Column("actions", "string", "the moves, a letter each: with the seed they are the whole game"),
    Column("final", "string", "the rows of the last board, as those of `board`"),
    VERSIONS,
)
"""The outcome of a game. The letters of its moves are explained in `searchlab.experiments.notation`."""
RUN = Column(
    "run", "Int64", "its place in the order of the experiment, from 1, by which `--run` names it", is_stored=False
)
MACHINE = "the machine's name; its system, processor and cores"
RECORD = (
    Column("metrics", "", declaration="TEXT NOT NULL"),
    Column("worker", "string", "which process did it: its machine and number", "TEXT NOT NULL"),
    Column("finished", "datetime64[us, UTC]", "when", "TEXT NOT NULL"),
    Column("provenance", "", declaration="INTEGER NOT NULL REFERENCES provenance (id)"),
    Column("host", "string", MACHINE, is_stored=False),
    Column("machine", "string", MACHINE, is_stored=False),
    Column(
        "plugins", "string", "`name=fingerprint` of the plugins whose code it ran, separated by blanks", is_stored=False
    ),
    RUN,
)
"""The columns that say when and with what a run was done; tables have none of `metrics` and `provenance`."""
