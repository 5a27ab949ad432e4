"""The columns of result tables. Each is defined once: type, origin of the cells, description.

The types in pandas and SQLite, the checks of a store, and the tables in docs/ follow from these lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

IN_SQLITE = {"string": "TEXT", "category": "TEXT", "float64": "REAL", "Float64": "REAL"}
"""The SQLite type of each pandas type that is not INTEGER."""
NEVER_MISSING = ("category", "bool", "int64")
"""The types in pandas of columns that have a value in each row."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: the name.
        dtype: the type in pandas; cells of type `category` sort by the order of the categories, texts by the alphabet.
        doc: a description, as docs/ show it.
        declaration: the type in SQLite; by default the type that fits `dtype`.
        is_stored: whether a store has this column; others are derived from the provenance of a run.
        is_needed: whether every row of a store must have a value.
    """

    name: str
    dtype: str
    doc: str = ""
    declaration: str = ""
    is_stored: bool = True
    is_needed: bool = False

    @property
    def in_sqlite(self) -> str:
        """The type in SQLite."""
        return self.declaration.split()[0]

    def __post_init__(self) -> None:
        declaration = self.declaration or IN_SQLITE.get(self.dtype, "INTEGER")
        needed = self.is_needed or "NOT NULL" in declaration or self.dtype in NEVER_MISSING
        object.__setattr__(self, "declaration", declaration)
        object.__setattr__(self, "is_needed", needed)


def dtypes(columns: Iterable[Column]) -> dict[str, str]:
    """Return the types in pandas by column."""
    return {column.name: column.dtype for column in columns}


def is_category(name: str) -> bool:
    """Return whether a column of runs is declared with categories, which have an order of their own."""
    return any(column.name == name and column.dtype == "category" for column in (*SEARCH_OUTCOME, *GAME_OUTCOME))


IDENTITY = (
    Column("identity", "string", "equal for equal runs on all machines, different for all others", "TEXT NOT NULL"),
    Column("attempt", "int64", "from 1", "INTEGER NOT NULL"),
)
OPTIMAL_COST = Column("optimal_cost", "Float64", "the cost of a cheapest solution, missing if unknown")
REPETITION = Column("repetition", "int64", "from 1", "INTEGER NOT NULL")
LIMIT_SECONDS = Column("limit_seconds", "float64", "the time limit, missing without one")
LIMITS = ("limit_seconds", "limit_memory", "limit_expansions", "limit_moves")
"""The columns with the limits of searches and games."""
SEARCH_RUN = (
    *IDENTITY,
    Column(
        "board_name",
        "string",
        "the board's name: a file, a shipped board, a generator with its seed, or the start of a domain as text",
        "TEXT NOT NULL",
    ),
    OPTIMAL_COST,
    Column("seed", "Int64", "the seed of the random numbers; missing if no component takes one"),
    REPETITION,
    LIMIT_SECONDS,
    Column("limit_memory", "Int64", "the limits on bytes and nodes, missing without one"),
    Column("limit_expansions", "Int64", "the limits on bytes and nodes, missing without one"),
)
"""The columns that say which search it is."""
GAME_RUN = (
    *IDENTITY,
    Column(
        "board_name",
        "string",
        "the name of the start board; missing for the domain's own opening",
        "TEXT NOT NULL",
    ),
    OPTIMAL_COST,
    Column("seed", "Int64", "the seed of the game and of the player; missing if neither draws random numbers"),
    REPETITION,
    LIMIT_SECONDS,
    Column("limit_memory", "Int64", "the limits on bytes and moves, missing without one"),
    Column("limit_moves", "Int64", "the limits on bytes and moves, missing without one"),
)
"""The columns that say which game it is."""
PARTS = "the combination, with full names"
FIGURE = "the search's figures"
TIMES = "wall time and processor time of the search"
REASON = Column("reason", "string", "one line on why, missing if the status says it all")
VERSIONS = Column("versions", "string", "`name=version` of what computed it, separated by blanks", is_stored=False)
SEARCH_OUTCOME = (
    Column(
        "board",
        "string",
        "its rows, separated by ` / `; of a large board its shape and hash; missing if unreadable or not a board",
    ),
    Column("domain", "string", PARTS, is_needed=True),
    Column("heuristic", "string", f"{PARTS}; missing if the frontier uses none"),
    Column("frontier", "string", PARTS, is_needed=True),
    Column("engine", "string", "`compiled` or `readable`"),
    Column("batch", "int64", "nodes expanded before the new ones were evaluated together"),
    Column("status", "category", "how the search ended; the categories are all statuses"),
    REASON,
    Column("moves", "Int64", "of the solution, missing without one"),
    Column("cost", "Float64", "of the solution, missing without one"),
    Column("optimal", "bool", "whether it is proved that no solution is cheaper"),
    Column("lower_bound", "Float64", "a cost that no solution is below, missing if there is no solution"),
    Column("bound", "Float64", "the proved factor between the cost and the optimum, missing if nothing is proved"),
    Column("bound_by", "string", "what has proved it: `search`, `domain` or `weight`; missing if nothing is proved"),
    Column("ended_by", "string", "why the search ended: `solution`, `proof`, `exhausted`, a limit, or `error`"),
    Column("solutions", "string", "seconds, expansions and cost of each improvement, in JSON; missing without one"),
    *(Column(name, "int64", FIGURE) for name in ("expanded", "generated", "evaluated", "reopened", "duplicates")),
    *(Column(name, "int64", FIGURE) for name in ("stored", "max_open")),
    Column("peak_bytes", "int64", "the most bytes the search held"),
    Column("expanded_backward", "Int64", "of a bidirectional search: the nodes that it expanded from the goals"),
    Column("met_at", "Int64", "the moves after which its directions met, missing for other searches"),
    Column("met_cost", "Float64", "what these moves cost, missing likewise"),
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
    Column("domain", "string", "their full names", is_needed=True),
    Column("player", "string", "their full names", is_needed=True),
    Column(
        "status", "category", "`goal`, `dead` (no move was left), `move-limit`, `time-limit`, `memory-limit` or `error`"
    ),
    REASON,
    Column("score", "Float64", "the points when the game ended, however it ended; missing if unknown"),
    Column("largest_tile", "Int64", "of the last board, missing likewise"),
    Column("moves", "Int64", "the number of moves, missing likewise"),
    Column("seconds", "float64", GAME_TIMES),
    Column("cpu_seconds", "float64", GAME_TIMES),
    Column("moves_per_second", "Float64", "of wall time, missing without a move"),
    Column("actions", "string", "the moves, one letter each: with the seed they are the whole game"),
    Column("final", "string", "the rows of the last board, written like `board`"),
    VERSIONS,
)
"""The outcome of a game. The letters of its moves are explained in `searchlab.experiments.notation`."""
RUN = Column(
    "run", "Int64", "its place in the order of the experiment, from 1, by which `--run` names it", is_stored=False
)
MACHINE = "the machine's name; its system, processor and cores"
RECORD = (
    Column("metrics", "", declaration="TEXT NOT NULL"),
    Column("worker", "string", "the process that made the run: its machine and number", "TEXT NOT NULL"),
    Column(
        "load",
        "Float64",
        "processes that ran or waited for a processor, in the mean of the minute before it ended; missing if unknown",
    ),
    Column("clock", "Float64", "the clock of the processor when it ended, in MHz; missing if unknown"),
    Column("finished", "datetime64[us, UTC]", "when it ended", "TEXT NOT NULL"),
    Column("provenance", "", declaration="INTEGER NOT NULL REFERENCES provenance (id)"),
    Column("host", "string", MACHINE, is_stored=False),
    Column("machine", "string", MACHINE, is_stored=False),
    Column(
        "plugins",
        "string",
        "`name=fingerprint` of the plugins whose code was used, separated by blanks",
        is_stored=False,
    ),
    RUN,
)
"""The columns that say when and how a run was done; tables omit `metrics` and `provenance`."""
SINCE_0_3 = frozenset(
    (
        *("lower_bound", "bound", "bound_by", "ended_by", "solutions"),
        *("expanded_backward", "met_at", "met_cost"),
        *("load", "clock"),
    )
)
"""The stored columns that a file of version 0.2 does not have; without any other a file is damaged."""
