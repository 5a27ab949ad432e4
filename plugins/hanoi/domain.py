"""The rules of the Towers of Hanoi: move all discs to the last peg, one at a time, never onto a smaller disc.

A board has one row with the number of the peg, from 1, of each disc, the smallest disc first. This describes the whole
position, because the discs on a peg can lie in one order only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab import Board, Defaults, Domain, Generator, PackedForm, Parameter, Views
from searchlab_plugins.hanoi.heuristics import misplaced_between
from searchlab_plugins.hanoi.picture import picture, svg

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    import numpy as np
    from numpy.typing import NDArray

FEWEST_PEGS, MOST_PEGS = 3, 9
FEWEST_DISCS, MOST_DISCS = 1, 64
MOVE = ("disc", "source", "target")


def start(discs: int) -> Board:
    """Return the board with all discs on the first peg."""
    return Board([[1] * discs])


def goals(board: Board, pegs: int) -> Iterator[Board]:
    """Yield the board with all discs on the last peg."""
    yield Board([[pegs] * board.shape[1]])


def successors(board: Board, pegs: int) -> Iterator[tuple[str, Board]]:
    """Yield (action, board) for the moves of the top discs, the smallest disc first; `1-3` is from peg 1 to peg 3."""
    places = board.tiles[0].tolist()
    blocked: set[int] = set()  # the pegs on which a smaller disc lies
    for disc, source in enumerate(places):
        if source not in blocked:
            blocked.add(source)
            for target in range(1, pegs + 1):
                if target not in blocked:
                    yield f"{source}-{target}", Board([[*places[:disc], target, *places[disc + 1 :]]])


def write_successors(tiles: Any, out: Any, moves: Any, pegs: int) -> int:
    """Write the boards after the same moves, and for each move the disc, the peg it leaves and the peg it enters."""
    discs = tiles.shape[1]
    blocked, count = 0, 0  # a bit for each peg
    for disc in range(discs):
        source = tiles[0, disc]
        if not blocked >> source & 1:
            blocked |= 1 << source
            for target in range(1, pegs + 1):
                if not blocked >> target & 1:
                    for other in range(discs):
                        out[count, 0, other] = tiles[0, other]
                    out[count, 0, disc] = target
                    moves[count, 0] = disc
                    moves[count, 1] = source
                    moves[count, 2] = target
                    count += 1
    return count


def packed(board: Board, pegs: int) -> PackedForm:
    """Return the compiled rules: any two pegs allow exactly one move between them, unless both are empty."""
    return PackedForm(values=pegs + 1, max_successors=pegs * (pegs - 1) // 2, successors=write_successors, move=MOVE)


def lower_bound(board: Board, listed_goals: NDArray[np.int64], pegs: int) -> int:
    """Return the exact number of moves for three pegs and a goal on a single peg, else the bound `misplaced-discs`.

    With three pegs, the largest misplaced disc moves once, when all smaller discs are on the third peg. So each disc
    determines the target of the next smaller disc (Hinz 1989).
    """
    target = int(listed_goals[0, 0, 0])
    if pegs > FEWEST_PEGS or (listed_goals[0] != target).any():
        return int(misplaced_between(board.tiles, listed_goals[0]))
    moves = 0
    for disc, peg in reversed([*enumerate(board.tiles[0].tolist())]):
        if peg != target:
            moves += 2**disc
            target = 6 - peg - target
    return moves


def why_invalid(board: Board, pegs: int) -> str:
    """Return an error message for an illegal board, or `""`."""
    rows, discs = board.shape
    if rows != 1:
        return "a board is one row: for each disc, the smallest first, the number of its peg"
    if not FEWEST_DISCS <= discs <= MOST_DISCS:
        return f"there are {FEWEST_DISCS} to {MOST_DISCS} discs, not {discs}"
    if not (board.tiles.min() > 0 and board.tiles.max() <= pegs):
        return f"the pegs are 1 … {pegs}"
    return ""


def smaller(board: Board) -> Iterator[Board]:
    """Yield the boards without a single disc, the largest disc first."""
    pegs = board.tiles[0].tolist()
    for disc in reversed(range(len(pegs)) if len(pegs) > FEWEST_DISCS else ()):
        yield Board([pegs[:disc] + pegs[disc + 1 :]])


def samples(pegs: int) -> Iterator[Board]:
    """Yield the start boards of 4 and of 6 discs, from which all boards of this size are reached."""
    yield start(4)
    yield start(6)


def anywhere(random: Random, discs: int, pegs: int) -> Board:
    """Return a board with each disc on a random peg; all boards are equally likely."""
    return Board([[1 + int(random.random() * pegs) for _ in range(discs)]])


def check_discs(discs: int) -> str:
    """Return an error message for an invalid number of discs, or `""`."""
    return "" if FEWEST_DISCS <= discs <= MOST_DISCS else f"there are {FEWEST_DISCS} to {MOST_DISCS} discs"


def check_pegs(pegs: int) -> str:
    """Return an error message for an invalid number of pegs, or `""`."""
    return "" if FEWEST_PEGS <= pegs <= MOST_PEGS else f"there are {FEWEST_PEGS} to {MOST_PEGS} pegs"


DOMAIN = Domain(
    "hanoi",
    successors,
    summary="Towers of Hanoi: move all discs to the last peg, never a larger one onto a smaller",
    parameters=(
        Parameter("discs", 8, "discs of the start board, and of generated ones", check=check_discs),
        Parameter("pegs", 4, "pegs", check=check_pegs),
    ),
    start=start,
    goals=goals,
    packed=packed,
    why_invalid=why_invalid,
    lower_bound=lower_bound,
    smaller=smaller,
    samples=samples,
    inverse="same",
    views=Views(picture=picture, svg=svg, layer_columns={"dead ends": "", "game over": "", "largest": ""}),
    defaults=Defaults(heuristic="searchlab/disc-database"),
)

GENERATOR = Generator(
    "anywhere",
    anywhere,
    domains=frozenset({"hanoi"}),
    summary="each disc on a random peg",
)
