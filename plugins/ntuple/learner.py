"""The learner of n-tuple networks: the tuples of the network, and the learning rule."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from searchlab import (
    AfterstateLearning,
    DepthFirstLearning,
    Learner,
    NTupleNetwork,
    Parameter,
    UsageError,
    read_network,
)
from searchlab_plugins.ntuple.trained import check_downgrade, check_file

if TYPE_CHECKING:
    from searchlab import BoundDomain, Learning

COHERENCE, PLAIN, DEPTH_FIRST = "tc", "td", "ldfs"
FOUR_BY_FOUR = ((0, 1, 2, 3, 4, 5), (4, 5, 6, 7, 8, 9), (0, 1, 2, 4, 5, 6), (4, 5, 6, 8, 9, 10))
"""Four tuples of six cells (Wu, Yeh, Liang, Chang and Chiang 2014): the first row and half of the second, the second
row and half of the third, and two rectangles."""
EIGHT_OF_SIX = (
    *((0, 1, 2, 4, 5, 6), (4, 5, 6, 7, 8, 9), (0, 1, 2, 3, 4, 5), (2, 3, 4, 5, 6, 9)),
    *((0, 1, 2, 5, 9, 10), (3, 4, 5, 6, 7, 8), (1, 3, 4, 5, 6, 7), (0, 1, 4, 8, 9, 10)),
)
"""Eight tuples of six cells, those of the strongest players of Matsuzaki (2016)."""
NAMED = {"4x6": FOUR_BY_FOUR, "8x6": EIGHT_OF_SIX}
FLOAT, SMALL = "float32", "uint16"
BLOCK = 2, 3
MOST_OPTIMISM = 1e20
LARGEST_EXACT = 3
BITS = 4
"""The bits of the code of a cell: tiles above 32768 count as 32768."""


def ntuple(
    domain: BoundDomain,
    seed: int,
    tuples: str = "",
    rate: float = 1.0,
    rule: str = COHERENCE,
    optimism: float = 0.0,
    weights: str = FLOAT,
    threads: int = 1,
    stages: str = "",
    downgrade: int = 0,
    begin: str = "",
) -> Learning:
    """Return a learner of the points that are expected after each board."""
    n, known = domain.start().n, read_network(begin) if begin else None
    if rule == DEPTH_FIRST:
        others = {"rate": rate != 1, "weights": weights != FLOAT, "threads": threads > 1, "stages": stages}
        others |= {"downgrade": downgrade, "begin": begin}
        return exact(
            domain, seed, listed(tuples) if tuples else (), optimism, [name for name in others if others[name]]
        )
    if known:
        known.check_shape((n, n))
    usual = known.tuples if known else FOUR_BY_FOUR if n == 4 else blocks(n)
    network = NTupleNetwork(
        *(n, n, listed(tuples) if tuples else usual, BITS),
        base=optimism or (known.base if known else 0.0),
        stages=sums_of_tiles(stages) or (known.stages if known else ()),
        downgrade=downgrade or (known.downgrade if known else 0),
        codes=codes(n),
    )
    if known and optimism not in (0, known.base):
        msg = f"optimism={optimism:g}: a network that begins as {begin} expects {known.base:g} of unknown boards"
        raise UsageError(msg)
    coherent, small = rule == COHERENCE, weights == SMALL
    learning = AfterstateLearning(
        network, domain, seed=seed, rate=rate, coherent=coherent, in_16_bits=small, threads=threads
    )
    if known:  # copied only after the learner has laid out the weights, which would be in memory twice otherwise
        network.begin_as(known)
    return learning


def exact(
    domain: BoundDomain, seed: int, tuples: tuple[tuple[int, ...], ...], optimism: float, others: list[str]
) -> Learning:
    """Return a learner of the exact values of small boards.

    Args:
        others: the names of parameters that this rule does not take, and that do not have their default values.
    """
    if others:
        raise UsageError(f"{others[0]} is not for rule={DEPTH_FIRST}")
    if optimism <= 0:
        raise UsageError(f"rule={DEPTH_FIRST} needs optimism=POINTS: as much as any board may be worth, or more")
    n = domain.start().n
    if n > LARGEST_EXACT:
        raise UsageError(f"rule={DEPTH_FIRST} is for boards of up to {LARGEST_EXACT} × {LARGEST_EXACT} cells")
    network = NTupleNetwork(n, n, tuples or (tuple(range(n * n)),), BITS, base=optimism, codes=codes(n))
    return DepthFirstLearning(network, domain, seed=seed)


def codes(n: int) -> int:
    """Return the number of codes that a cell of an n × n board can have, or 0 if there are more than `BITS` allow.

    The largest possible tile is 2^(n² + 1). Just before it is made, its two halves are on two cells, and each other
    cell holds a different smaller tile; the largest tile that appears is a 4. With the blank there are n² + 2 codes.

    >>> codes(2), codes(3), codes(4)
    (6, 11, 0)
    """
    return n * n + 2 if n * n + 2 < 1 << BITS else 0


def blocks(n: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells of the 2 × 3 rectangles, one rectangle of those that are equal by rotation or reflection.

    >>> blocks(3)
    ((3, 4, 5, 6, 7, 8),)
    >>> blocks(2)
    ((0, 1, 2, 3),)
    """
    height, width = BLOCK[0], min(n, BLOCK[1])
    places = product(range(n - height + 1), range(n - width + 1))
    first = {(_from_border(r, height, n), _from_border(c, width, n)): (r, c) for r, c in places}
    return tuple(
        tuple((row + r) * n + column + c for r in range(height) for c in range(width)) for row, column in first.values()
    )


def _from_border(place: int, size: int, n: int) -> int:
    return min(place, n - size - place)


def listed(text: str) -> tuple[tuple[int, ...], ...]:
    """Parse tuples: a name, or tuples separated by slashes, with cells separated by blanks.

    >>> listed("0 1 2 3/0 1 4 5")
    ((0, 1, 2, 3), (0, 1, 4, 5))

    Raises:
        UsageError: the text is invalid.
    """
    if text in NAMED:
        return NAMED[text]
    try:
        return tuple(tuple(map(int, cells.split())) for cells in text.split("/"))
    except ValueError:
        names = " and ".join(NAMED)
        msg = f"tuples={text}: cells are numbered row by row from 0 and written 0 1 2 3/0 1 4 5; {names} are names"
        raise UsageError(msg) from None


def sums_of_tiles(text: str) -> tuple[int, ...]:
    """Parse stages, separated by slashes: the tiles with which a stage begins, separated by blanks.

    >>> sums_of_tiles("16384/16384 8192/32768")
    (16384, 24576, 32768)

    Raises:
        UsageError: the text is invalid.
    """
    try:
        stages = [list(map(int, tiles.split())) for tiles in text.split("/")] if text else []
    except ValueError:
        stages = [[]]
    if any(not tiles or len(set(tiles)) < len(tiles) or not all(map(_is_tile, tiles)) for tiles in stages):
        msg = f"stages={text}: each begins with one or more different tiles and is written 16384/16384 8192/32768"
        raise UsageError(msg)
    return tuple(map(sum, stages))


def _is_tile(number: int) -> bool:
    return number >= 4 and number & (number - 1) == 0


def check_rate(rate: float) -> str:
    """Return an error message for an invalid learning rate, or `""`."""
    return "" if 0 < rate <= 1 else "a rate is above 0, up to 1"


def check_optimism(optimism: float) -> str:
    """Return an error message for an invalid initial value of boards, or `""`: errors are added up in float32."""
    return "" if abs(optimism) <= MOST_OPTIMISM else f"points expected are a number up to {MOST_OPTIMISM:g}"


def check_begin(begin: str) -> str:
    """Return an error message for an invalid network file to start from, or `""`."""
    return check_file(begin) if begin else ""


LEARNER = Learner(
    "ntuple",
    ntuple,
    domains=frozenset({"2048-random"}),
    parameters=(
        Parameter("tuples", "", "4x6, 8x6, or cells row by row: [0 1 2 3/0 1 4 5]; by default as suits the board"),
        Parameter("rate", 1.0, "of a board's error that is corrected", check=check_rate),
        Parameter(
            "rule",
            COHERENCE,
            "tc: each weight learns as fast as its errors agree; td: all alike; ldfs: exact values of small boards",
            (COHERENCE, PLAIN, DEPTH_FIRST),
        ),
        Parameter("optimism", 0.0, "the points expected of boards never seen: more is tried out", check=check_optimism),
        Parameter("weights", FLOAT, "in the file for players; uint16 takes half the memory", (FLOAT, SMALL)),
        Parameter("stages", "", "tiles from which on other weights are learned: 16384, or [16384/16384 8192/32768]"),
        Parameter(
            "downgrade",
            0,
            "boards with this tile or more are read with large tiles halved; 0 for none",
            check=check_downgrade,
        ),
        Parameter(
            "begin",
            "",
            "a network to begin as, FILE of searchlab train: its tuples come first, others may follow",
            check=check_begin,
            kind="file",
        ),
        Parameter(
            "threads",
            1,
            "games at once, on as many cores; more than 1 is not reproducible",
            check=AfterstateLearning.check_threads,
        ),
    ),
    plays="searchlab play --player ntuple:file=FILE",
    summary="an n-tuple network that learns to predict the future points of a board",
)
