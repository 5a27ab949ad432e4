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
    Column(
        "identity",
        "string",
        "a hash of what makes [the same run](experiments.md#what-identifies-a-run): equal on all machines",
        "TEXT NOT NULL",
    ),
    Column("attempt", "int64", "1, or a higher number if the run was tried again", "INTEGER NOT NULL"),
)
OPTIMAL_COST = Column(
    "optimal_cost",
    "Float64",
    "the known cost of a cheapest solution of the board, as its set or file gives it; missing if unknown",
)
REPETITION = Column(
    "repetition", "int64", "which of the repetitions of the same combination this is, from 1", "INTEGER NOT NULL"
)
LIMIT_SECONDS = Column("limit_seconds", "float64", "the limit of wall time, in seconds; missing without one")
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
    Column(
        "seed",
        "Int64",
        "the seed of the random numbers that the heuristic, frontier or domain draws; missing if none takes one",
    ),
    REPETITION,
    LIMIT_SECONDS,
    Column("limit_memory", "Int64", "the limits of memory, in bytes, and of expanded nodes; missing without one"),
    Column("limit_expansions", "Int64", "the limits of memory, in bytes, and of expanded nodes; missing without one"),
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
    Column("limit_memory", "Int64", "the limits of memory, in bytes, and of moves; missing without one"),
    Column("limit_moves", "Int64", "the limits of memory, in bytes, and of moves; missing without one"),
)
"""The columns that say which game it is."""
PARTS = "its name with the parameters that differ from their defaults"
COUNTS = {
    "expanded": "the nodes whose successors were generated: the usual measure of a search's work",
    "generated": "the successors that were generated, without those that lead straight back to the parent",
    "evaluated": "the calls of the heuristic",
    "reopened": "the closed nodes that were put back on the open list, because a shorter path to them was found",
    "duplicates": "the nodes that were dropped because their state was already expanded or entered",
    "stored": "the nodes in memory at the end",
    "max_open": "the most nodes that were on the open list at the same time",
}
"""The counts of a search."""
TIMES = "wall time and processor time of the search, in seconds, without loading and compiling"
REASON = Column(
    "reason",
    "string",
    "a line that explains the status, such as the message of an error; missing if nothing is to be explained",
)
VERSIONS = Column(
    "versions",
    "string",
    "the versions of Python, searchlab and its libraries, as `name=version` separated by blanks",
    is_stored=False,
)
SEARCH_OUTCOME = (
    Column(
        "board",
        "string",
        "the rows of the start board, separated by ` / `; of a large board its shape and a hash; missing if the "
        "file cannot be read or the state is not a board",
    ),
    Column("domain", "string", PARTS, is_needed=True),
    Column("heuristic", "string", f"{PARTS}; missing if the frontier uses no heuristic"),
    Column("frontier", "string", PARTS, is_needed=True),
    Column(
        "engine",
        "string",
        "what ran the search: machine code (`compiled`) or Python (`readable`); both expand the same nodes",
    ),
    Column(
        "batch",
        "int64",
        "how many nodes are expanded before their successors are evaluated together; 1: each node at once",
    ),
    Column(
        "status",
        "category",
        "[how the search ended](searches.md#how-it-ends): `solved`, `unsolvable`, `time-limit`, …",
    ),
    REASON,
    Column("moves", "Int64", "the number of moves of the solution; missing without one"),
    Column("cost", "Float64", "the cost of the solution, the sum of the costs of its moves; missing without one"),
    Column("optimal", "bool", "whether the search proved that no solution is cheaper"),
    Column(
        "lower_bound",
        "Float64",
        "a proved lower bound: every solution costs at least this much; missing if there is no solution",
    ),
    Column(
        "bound",
        "Float64",
        "a proved factor: the cost is at most this many times the optimum, 1 if optimal; missing if nothing is proved",
    ),
    Column(
        "bound_by",
        "string",
        "what proved `bound`: the `search`, the lower bound of the `domain`, or the `weight` of the frontier; "
        "missing if nothing is proved",
    ),
    Column(
        "ended_by",
        "string",
        "[why the search ended](searches.md#how-it-ends): `solution`, `proof`, `exhausted`, a limit, or `error`",
    ),
    Column(
        "solutions",
        "string",
        "for each solution that was cheaper than those before it, the seconds and expansions until then and its "
        "cost, as JSON; missing without a solution",
    ),
    *(Column(name, "int64", doc) for name, doc in COUNTS.items()),
    Column("peak_bytes", "int64", "the most memory that the search took, in bytes"),
    Column(
        "expanded_backward",
        "Int64",
        "how many of the expanded nodes a bidirectional search expanded from the goals; missing for other searches",
    ),
    Column(
        "met_at", "Int64", "after how many moves of the solution the two directions met; missing for other searches"
    ),
    Column("met_cost", "Float64", "what the moves up to there cost; missing for other searches"),
    Column("seconds", "float64", TIMES),
    Column("cpu_seconds", "float64", TIMES),
    Column("actions", "string", "the names of the moves, separated by blanks; missing without a solution"),
    VERSIONS,
)
"""The outcome of a search: the columns of `searchlab.table`, in its order."""
GAME_TIMES = "wall time and processor time of the game, in seconds"
GAME_OUTCOME = (
    Column(
        "board",
        "string",
        "the rows of the start board, separated by ` / `; of a large board its shape and a hash; missing "
        "without a board",
    ),
    Column("domain", "string", PARTS, is_needed=True),
    Column("player", "string", PARTS, is_needed=True),
    Column(
        "status",
        "category",
        "how the game ended: `goal` (reached), `dead` (no move was left), `move-limit`, `time-limit`, "
        "`memory-limit` or `error`",
    ),
    REASON,
    Column("score", "Float64", "the points of all moves, also of a game that a limit ended; missing if unknown"),
    Column("largest_tile", "Int64", "the largest tile of the last board; missing if unknown"),
    Column("moves", "Int64", "the number of moves; missing if unknown"),
    Column("seconds", "float64", GAME_TIMES),
    Column("cpu_seconds", "float64", GAME_TIMES),
    Column("moves_per_second", "Float64", "moves per second of wall time; missing without a move"),
    Column(
        "actions",
        "string",
        "the moves, one letter each; with the seed, which determines the random events, they are the whole game",
    ),
    Column("final", "string", "the rows of the last board, written as in `board`"),
    VERSIONS,
)
"""The outcome of a game. The letters of its moves are explained in `searchlab.experiments.notation`."""
RUN = Column("run", "Int64", "the number of the run in the experiment, from 1; `--run` takes it", is_stored=False)
MACHINE = "the name of the machine; its system, processor and number of cores"
RECORD = (
    Column("metrics", "", declaration="TEXT NOT NULL"),
    Column(
        "worker", "string", "the process that made the run, as the name of its machine and a number", "TEXT NOT NULL"
    ),
    Column(
        "load",
        "Float64",
        "how busy the machine was: processes that ran or waited for a processor, averaged over the minute "
        "before the end; missing if unknown",
    ),
    Column("clock", "Float64", "the clock rate of the processor at the end, in MHz; missing if unknown"),
    Column("finished", "datetime64[us, UTC]", "when the run ended", "TEXT NOT NULL"),
    Column("provenance", "", declaration="INTEGER NOT NULL REFERENCES provenance (id)"),
    Column("host", "string", MACHINE, is_stored=False),
    Column("machine", "string", MACHINE, is_stored=False),
    Column(
        "plugins",
        "string",
        "the plugins whose code was used, each with a hash of this code, as `name=fingerprint` separated by blanks",
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
