"""The frontier strategies: the order in which nodes are taken from the open list, and the guarantees that follow."""

from __future__ import annotations

from searchlab import Frontier, Parameter


def estimate(g: float, h: float) -> float:
    """Greedy best-first search: h alone."""
    return h


def total(g: float, h: float) -> float:
    """A*: f = g + h (Hart, Nilsson and Raphael 1968)."""
    return g + h


def weighted_total(g: float, h: float, weight: float = 2.0) -> float:
    """Weighted A*: f = g + weight × h (Pohl 1970)."""
    return g + weight * h


def path_cost(g: float, h: float) -> float:
    """Uniform-cost search: g alone (Dijkstra 1959)."""
    return g


def check_weight(weight: float) -> str:
    """Return an error message for an invalid weight, or `""`."""
    return "" if 1 <= weight < float("inf") else "a weight is at least 1; 1 is A*"


def given_bound(bound: float) -> float:
    """Return the bound itself: the factor of the optimum within which solutions are."""
    return bound


def check_bound(bound: float) -> str:
    """Return an error message for an invalid bound, or `""`."""
    return "" if 1 <= bound < float("inf") else "a bound is at least 1, for an optimal solution"


BOUND = Parameter("bound", 1.0, "the cost is at most this factor of the optimum", check=check_bound)
"""The bound of strategies that find an optimal solution by default."""


def check_width(width: int) -> str:
    """Return an error message for an invalid width of a beam, or `""`."""
    return "" if 1 <= width < 2**31 else "a beam is from 1 to 2^31 - 1 nodes wide"


def check_threads(threads: int) -> str:
    """Return an error message for an invalid number of threads, or `""`."""
    return "" if 1 <= threads <= 1024 else "from 1 to 1024 threads; more than the machine has cores are of no use"


def weight_itself(weight: float) -> float:
    """Return the factor of the optimum within which weighted A* finds a solution."""
    return weight


THREADS = Parameter("threads", 1, "how many cores search, with the same solution and figures", check=check_threads)
FRONTIERS = (
    Frontier(
        "greedy",
        estimate,
        summary="best heuristic value first, regardless of the path cost",
        aliases=("gbfs",),
    ),
    Frontier(
        "astar",
        total,
        ties="low-h",
        duplicates="domain",
        reopen="yes",
        optimal_with="admissible",
        summary="smallest g + h first: optimal with an admissible heuristic",
        aliases=("a*",),
    ),
    Frontier(
        "weighted-astar",
        weighted_total,
        ties="low-h",
        duplicates="domain",
        reopen="unless-consistent",
        optimal_with="admissible",
        within=weight_itself,
        parameters=(
            Parameter(
                "weight",
                2.0,
                "how much h counts; costs are within this factor",
                check=check_weight,
                low=1,
                high=10,
                log=True,
            ),
        ),
        summary="smallest g + weight × h first: at most weight × the optimal cost",
        aliases=("wastar", "wa*"),
    ),
    Frontier(
        "uniform-cost",
        path_cost,
        duplicates="domain",
        reopen="yes",
        uses_heuristic=False,
        optimal_with="always",
        summary="cheapest path first, without a heuristic",
        aliases=("dijkstra", "ucs"),
    ),
    Frontier(
        "breadth-first",
        container="fifo",
        uses_heuristic=False,
        optimal_with="unit-cost",
        summary="oldest first: fewest moves",
        aliases=("bfs",),
    ),
    Frontier(
        "depth-first",
        container="lifo",
        uses_heuristic=False,
        summary="newest first: any solution",
        aliases=("dfs",),
    ),
    Frontier(
        "iterative-deepening",
        family="deepening",
        uses_heuristic=False,
        optimal_with="always",
        parameters=(THREADS,),
        summary="depth-first below a growing bound on g: little memory (Korf 1985)",
    ),
    Frontier(
        "ida-star",
        family="deepening",
        optimal_with="admissible",
        parameters=(THREADS,),
        summary="depth-first below a growing bound on g + h: little memory (Korf 1985)",
        aliases=("ida*",),
    ),
    Frontier(
        "beam",
        estimate,
        family="beam",
        parameters=(
            Parameter(
                "width", 100, "how many nodes of a layer are kept", check=check_width, low=2, high=10_000, log=True
            ),
        ),
        summary="layer by layer, keeping only the best states: fast, but incomplete",
    ),
)
