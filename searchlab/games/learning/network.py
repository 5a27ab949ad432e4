"""n-tuple networks: value functions that look up parts of a board in tables, and their files.

A network has a few tuples of cells. Each tuple has a table with a weight for every content of its cells. The value of a
board is the sum of the weights that all tuples look up, in each of the eight positions into which a square board can be
turned and mirrored; all positions share the tables. (Bledsoe and Browning 1959; for 2048 and the symmetric sampling
Szubert and Jaśkowski 2014.)

A tuple of all cells would look up eight weights that always change together. Therefore only the weight of the position
with the smallest number is kept, and counts eight times. Such tuples are *whole* if they come last.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise, takewhile
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arrays import reserve
from searchlab.compiler.packing import WORD_BITS, Packing
from searchlab.errors import UsageError
from searchlab.errors.cached import cached_property
from searchlab.files import reason_of
from searchlab.games.learning.array_files import ArrayFile, read_arrays, write_arrays
from searchlab.model.formatting import memory
from searchlab.search.watch import available_memory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from searchlab.board.board import Board

MOST_ENTRIES = 2**32
MOST_TUPLES = 1024
CODES = 2**16
"""The number of values of a uint16."""
WITH_ERRORS = 3
"""The numbers that learning keeps for each weight: the weight, the sum of its errors, and the sum of their sizes."""
BLOCK = 2**22
"""The number of weights that are converted at once."""
HOLDS = "n-tuple network"
"""The kind of content in the description of a file."""
NUMBERS = ("rows", "columns", "bits")
FLAGS = ("powers_of_two", "symmetric")
OPTIONAL = ("codes", "scale", "zero", "downgrade", "stages")
MOST_STAGES = 64
LARGEST_CODE = 62
"""The largest code in the set of tiles that selects a stage, which has 64 bits; larger codes count as this code."""


@dataclass(frozen=True, eq=False)
class NTupleNetwork:
    """A value function of boards of one shape.

    Attributes:
        rows, columns: the shape of the boards.
        tuples: the cells of each tuple, numbered row by row.
        bits: the bits of a cell's code.
        codes: the number of codes of a cell, or 0 for 2^bits; larger codes count as the largest. Fewer codes make the
            tables smaller and allow tuples with more cells: tiles of 3 × 3 boards are at most 1024, so 11 codes are
            enough, and the table of eight cells has 11^8 weights instead of 16^8.
        powers_of_two: whether the code is the exponent of the tile (0 for a blank) instead of the tile's value.
        symmetric: whether the tuples are looked up in all eight positions of a board.
        base: the value of every board while all weights are 0.
        weights: the weights, shape (entries,): stage by stage, and in each stage one table after another. In an index
            the code of the first cell is multiplied by 1, the code of the second by `codes`, and so on. The type is
            float32, or uint16 for weights of `scale` × (stored number − `zero`).
        downgrade: the tile from which boards are downgraded, or 0 for never. In a board with this tile or a larger
            tile, all tiles larger than the largest missing tile are halved (Jaśkowski 2018), so that the network can
            value boards that it has hardly seen.
        stages: the beginnings of later stages of a game, which have their own weights: ascending sums of sets of tiles.
            A board is in the last stage with a sum of at most the sum of its distinct tiles: a board with the tiles
            16384, 8192 and 8192 is in the stage of 16384 + 8192, and so is a board with a 32768 (Yeh et al. 2016,
            Jaśkowski 2018). For a downgraded board the tiles after downgrading count.
        scale, zero: the conversion of a stored uint16; a scale of 0 means that the weights are float32.
        about: a description of the origin of the network that can be written as JSON.
    """

    rows: int
    columns: int
    tuples: tuple[tuple[int, ...], ...]
    bits: int = 4
    powers_of_two: bool = True
    symmetric: bool = True
    base: float = 0.0
    weights: NDArray[Any] = field(default_factory=lambda: np.zeros(0, np.float32))
    about: Mapping[str, Any] = field(default_factory=dict)
    scale: float = 0.0
    zero: int = 0
    downgrade: int = 0
    stages: tuple[int, ...] = ()
    codes: int = 0

    def __post_init__(self) -> None:
        wrong = self._what_is_wrong()
        if wrong:
            raise UsageError(f"that is no n-tuple network: {wrong}")
        if not len(self.weights):
            object.__setattr__(self, "weights", reserve(self.entries, self.dtype))
        if self.weights.dtype != self.dtype or self.weights.shape != (self.entries,):
            raise UsageError(f"that is no n-tuple network: {self.entries:,} weights are needed, {self.dtype.name}")

    def _what_is_wrong(self) -> str:
        cells = self.rows * self.columns
        if self.rows < 1 or self.columns < 1 or not 1 <= self.bits <= 16:
            return "boards have rows and columns, and a cell takes 1 to 16 bits"
        if self.codes and not 2 <= self.codes <= 1 << self.bits:
            return f"a cell of {self.bits} bits has 2 to {1 << self.bits} codes"
        if self.symmetric and self.rows != self.columns:
            return "only a square board can be turned"
        if not isfinite(self.base):
            return f"the value of a board without weights is a finite number, not {self.base:g}"
        if not 0 <= self.scale < inf or not 0 <= self.zero < CODES:
            return f"its scale is no finite number from 0 up, or its zero is not from 0 to {CODES - 1}"
        if self.downgrade and not (self.powers_of_two and _is_power_of_two(self.downgrade)):
            return "the tile from which boards are downgraded is a power of two from 4 up, of boards with such tiles"
        if self.stages and not (self.powers_of_two and self._may_begin(self.stages)):
            return (
                f"its later stages, {MOST_STAGES - 1} at most, begin with ever larger sums of different tiles from 4 up"
            )
        if not 1 <= len(self.tuples) <= MOST_TUPLES or not all(self.tuples):
            return f"it has 1 to {MOST_TUPLES} tuples, each of a cell or more"
        for listed in self.tuples:
            if len(set(listed)) < len(listed) or not all(0 <= cell < cells for cell in listed):
                shown = " ".join(map(str, listed))
                return f"the tuple {shown} does not have cells from 0 to {cells - 1}, each once"
        return "" if self.entries <= MOST_ENTRIES else f"its tables would have {self.entries:,} entries"

    def _may_begin(self, stages: tuple[int, ...]) -> bool:
        """Return whether stages are ascending sums of tiles of the boards."""
        all_tiles = (2 << min(LARGEST_CODE, self.packing.values - 1)) - 4
        ascending = all(before < after for before, after in pairwise(stages))
        return (
            ascending and len(stages) < MOST_STAGES and all(0 < sum_ <= all_tiles and sum_ % 4 == 0 for sum_ in stages)
        )

    @property
    def entries(self) -> int:
        """The number of weights."""
        return self.stage_entries * (1 + len(self.stages))

    @property
    def stage_entries(self) -> int:
        """The number of weights of each stage."""
        return self.firsts[-1]

    @cached_property
    def used(self) -> int:
        """The number of weights that boards look up: only about an eighth of the table of a whole tuple.

        A whole tuple looks up a weight for each board that is not a turned or mirrored form of another. Their number is
        the mean, over all positions, of the number of boards that the position does not change (Burnside's lemma).
        """
        partial, values = len(self.tuples) - self.whole, self.packing.values
        kept: int = sum(values ** _cycles(position.tolist()) for position in self.positions)
        of_stage = self.firsts[partial] + self.whole * (kept // len(self.positions))
        return of_stage * (1 + len(self.stages))

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The index of the first weight of each tuple's table within a stage, and the end of the last table."""
        sizes = [self.packing.values ** len(cells) for cells in self.tuples]
        return tuple(sum(sizes[:k]) for k in range(len(sizes) + 1))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the weights: float32 or uint16."""
        return np.dtype(np.uint16 if self.scale else np.float32)

    @property
    def of_zeros(self) -> float:
        """The value of a board if all its weights are stored as 0."""
        return self.base - self.scale * (self.summands * self.zero)

    @property
    def packing(self) -> Packing:
        """The packing of boards with the codes that index the tables."""
        return Packing(self.rows, self.columns, self.codes or 1 << self.bits, self.bits, self.powers_of_two)

    @cached_property
    def positions(self) -> tuple[NDArray[np.int64], ...]:
        """The positions of a board, each as the cell that moves to each cell, row by row.

        Each position follows from the position before, alternately by transposing the board and by mirroring its rows.
        """
        grid = np.arange(self.rows * self.columns).reshape(self.rows, self.columns)
        turned = [grid]
        for step in range(7 if self.symmetric else 0):
            turned.append(turned[-1][:, ::-1] if step % 2 else turned[-1].T)
        return tuple(position.ravel() for position in turned)

    @cached_property
    def whole(self) -> int:
        """The number of whole tuples: the last tuples, if they have all cells of a symmetric board that fits a word."""
        cells = self.rows * self.columns
        if not self.symmetric or cells * self.bits > WORD_BITS:
            return 0
        return sum(1 for _ in takewhile(lambda listed: len(listed) == cells, reversed(self.tuples)))

    @property
    def lookups(self) -> int:
        """The number of weights that are looked up for the value of a board."""
        return len(self.positions) * (len(self.tuples) - self.whole) + self.whole

    @property
    def summands(self) -> int:
        """The number of weights in the sum that is the value of a board; a weight of a whole tuple counts as eight."""
        return len(self.positions) * len(self.tuples)

    def entries_of(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the indices of the weights of boards.

        Args:
            tiles: the tiles of the boards, shape (boards, rows, columns).

        Returns:
            the indices, shape (boards, lookups): all tuples in order in each position, then the whole tuples.
        """
        packing = self.packing
        codes = packing.codes(tiles)
        if self.downgrade:
            codes = np.array([self._downgraded(of_board) for of_board in codes]).reshape(codes.shape)
        found = np.empty((len(tiles), self.lookups), np.int64)
        partial = range(len(self.tuples) - self.whole)
        places = [(codes[:, position], k) for position in self.positions for k in partial]
        if self.whole:
            places += [(self._smallest(codes), k) for k in range(len(partial), len(self.tuples))]
        for lookup, (turned, k) in enumerate(places):
            cells = list(self.tuples[k])
            found[:, lookup] = self.firsts[k] + turned[:, cells] @ packing.values ** np.arange(len(cells))
        return found + self.stage_entries * self._stages_of(codes)[:, None] if self.stages else found

    def _smallest(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of boards, each in the position with the smallest packed number.

        Args:
            codes: the codes of the boards, shape (boards, cells), like the return value.
        """
        turned = np.stack([codes[:, position] for position in self.positions])
        packed = turned.astype(np.uint64) << (self.bits * np.arange(codes.shape[1])).astype(np.uint64)
        smallest = np.bitwise_or.reduce(packed, axis=2).argmin(axis=0)
        found: NDArray[np.int64] = turned[smallest, np.arange(len(codes))]
        return found

    def _stages_of(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of the stages of boards, counted from 0.

        Args:
            codes: the codes of the boards, shape (boards, cells).
        """
        tiles = np.bitwise_or.reduce(1 << np.minimum(codes, LARGEST_CODE), axis=1)
        stages: NDArray[np.int64] = (tiles[:, None] >= np.array(self.stages)).sum(axis=1)
        return stages

    def take_over(self, entries: NDArray[np.int64]) -> None:
        """Set unlearned (zero) weights of later stages to the weights of the stage before, recursively.

        Args:
            entries: the indices of the weights.
        """
        for entry in entries.tolist():
            source = entry
            while source >= self.stage_entries and self.weights[source] == 0:
                source -= self.stage_entries
            self.weights[entry] = self.weights[source]

    def begin_as(self, other: NTupleNetwork) -> None:
        """Set the weights of the first tuples to the weights of another network that has only these tuples.

        As long as all other weights are 0, boards have the values of the other network. Larger tuples then learn the
        remaining error, and boards that are new to these tuples keep their value. If all tuples learned at once, the
        value of a board would be divided among them, and a board that is new to the large tuples would lack their
        share.

        Raises:
            UsageError: the other network has another shape of boards, or this network does not begin with its tuples
                and stages.
        """
        for name in (*NUMBERS, *FLAGS, "base", "codes"):
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs and not (name == "codes" and self.packing == other.packing):
                raise UsageError(f"a network with {name} {ours} cannot begin as one with {name} {theirs}")
        for name in ("tuples", "stages"):
            theirs = getattr(other, name)
            if getattr(self, name)[: len(theirs)] != theirs:
                raise UsageError(f"a network cannot begin as another unless the {name} of that come first")
        for stage in range(1 + len(other.stages)):
            of_stage = other.weights[stage * other.stage_entries :][: other.stage_entries]
            for first in range(0, len(of_stage), BLOCK):
                part = of_stage[first : first + BLOCK]
                learned = np.flatnonzero(part != other.zero)
                weights = part[learned].astype(np.float64) - other.zero
                places = stage * self.stage_entries + first + learned
                self.weights[places] = weights * other.scale if other.scale else weights

    def _downgraded(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of a board, downgraded if it has a large enough tile."""
        largest = int(codes.max())
        if largest < self.downgrade.bit_length() - 1:
            return codes
        missing = max(set(range(largest)) - set(codes.tolist()) - {0}, default=0)
        return np.where(codes > missing, codes - 1, codes) if missing else codes

    def values(self, tiles: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of boards, shape (boards,).

        Args:
            tiles: the tiles of the boards, shape (boards, rows, columns).

        Raises:
            UsageError: the boards have another shape.
        """
        self.check_shape(tiles.shape[1:])
        looked_up = self.weights[self.entries_of(tiles)]
        if self.scale:
            counts = np.ones(self.lookups, np.int64)
            counts[self.lookups - self.whole :] = len(self.positions)
            return self.of_zeros + self.scale * (looked_up.astype(np.int64) @ counts).astype(np.float64)
        looked_up = looked_up.astype(np.float64)
        positions, partial = len(self.positions), len(self.tuples) - self.whole
        # Add in the same order as compiled code, so that the sums are equal to the last bit.
        total = np.full(len(tiles), self.base, np.float64)
        for k in range(partial):
            of_tuple = np.zeros(len(tiles))
            for position in range(positions):
                of_tuple += looked_up[:, position * partial + k]
            total += of_tuple
        for lookup in range(positions * partial, self.lookups):
            total += positions * looked_up[:, lookup]
        return total

    def value(self, board: Board) -> float:
        """Return the value of a board."""
        return float(self.values(board.tiles[None])[0])

    def check_shape(self, shape: tuple[int, ...]) -> None:
        """Refuse boards of another shape.

        Raises:
            UsageError: the boards have another shape.
        """
        if shape != (self.rows, self.columns):
            wanted = f"{self.rows} × {self.columns}"
            raise UsageError(f"the network is for boards of {wanted}, not of {' × '.join(map(str, shape))}")


def _cycles(permutation: Sequence[int]) -> int:
    """Return the number of cycles of a permutation.

    >>> _cycles([1, 0, 2])
    2
    """
    left, found = set(permutation), 0
    while left:
        at, found = next(iter(left)), found + 1
        while at in left:
            left.remove(at)
            at = permutation[at]
    return found


def _is_power_of_two(tile: int) -> bool:
    return tile >= 4 and tile & (tile - 1) == 0


def in_16_bits(network: NTupleNetwork) -> NTupleNetwork:
    """Return a network with uint16 weights, in half the memory; the error of a weight is at most half of `scale`.

    A nonzero weight of a later stage is never stored as 0, which would mark it as unlearned, so its error may be a
    whole `scale`.
    """
    weights = network.weights
    lowest, highest = min(float(weights.min()), 0.0), max(float(weights.max()), 0.0)
    scale = (highest - lowest) / (CODES - 2) or 1.0
    zero = math.ceil(-lowest / scale)
    stored = reserve(network.entries, np.uint16)
    for first in range(0, network.entries, BLOCK):
        part = weights[first : first + BLOCK]
        stored[first : first + BLOCK] = np.rint(part / np.float64(scale)) + zero
        later = slice(max(first, network.stage_entries), first + BLOCK)
        stored[later] += (weights[later] != 0) & (stored[later] == zero)
    return replace(network, weights=stored, scale=scale, zero=zero)


def save_network(network: NTupleNetwork, path: str | Path) -> None:
    """Write a network to a file, in one step; only learned weights take space.

    Raises:
        UsageError: the file cannot be written.
    """
    named = {name: getattr(network, name) for name in (*NUMBERS, *FLAGS, "base")}
    named |= {name: getattr(network, name) for name in OPTIONAL if getattr(network, name)}
    about = {**named, "tuples": list(map(list, network.tuples)), "learned": dict(network.about)}
    learned = network.weights != network.zero
    arrays = {"learned": np.packbits(learned), "weights": network.weights[learned]}
    write_arrays(Path(path), HOLDS, about, arrays)


def read_network(path: str | Path) -> NTupleNetwork:
    """Read a network from a file; while the file does not change, return the same object each time.

    Raises:
        UsageError: there is no such file, it does not contain a network, or it is damaged.
    """
    file = os.fspath(path)
    if file.startswith("~"):
        file = os.path.expanduser(file)
    try:
        status = os.stat(file)
    except OSError as error:
        why = "no such file" if file.startswith("~") else reason_of(error)  # for the home of an unknown user
        raise UsageError(f"{file}: {why}") from None
    except ValueError:  # a null character in the name
        raise UsageError(f"{file}: no such file") from None
    state = status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size
    known = _latest[0]
    if known is None or known[0] != state:
        known = _latest[0] = state, _read(_File(state, Path(file)))
    return known[1]


_latest: list[tuple[tuple[int, ...], NTupleNetwork] | None] = [None]
"""The last network that was read, because a player asks for its network at each game."""


@dataclass(frozen=True)
class _File:
    """A file with a network; files with equal content are equal, whatever their names, until one is written."""

    state: tuple[int, ...]
    path: Path = field(compare=False)


@lru_cache(maxsize=4)
def _read(named: _File) -> NTupleNetwork:
    file = named.path.resolve()
    with read_arrays(file, HOLDS) as content:
        network = _empty(content)
        of_all = network.entries if network.zero else network.used
        check_room(of_all * network.dtype.itemsize, f"the network in {file}")
        learned = _unpacked(content, "learned", network.entries)
        weights = content.array("weights", network.dtype, (int(learned.sum()),))
        if network.zero:
            network.weights.fill(network.zero)
        network.weights[learned] = weights
        for stage in range(1, 1 + len(network.stages)):  # unlearned weights are those of the stage before
            first, size = stage * network.stage_entries, network.stage_entries
            of_stage, before = network.weights[first : first + size], network.weights[first - size : first]
            np.copyto(of_stage, before, where=~learned[first : first + size])
    network.weights.setflags(write=False)
    if not np.isfinite(weights).all():
        raise UsageError(f"{file} is no {HOLDS}: some of its weights are no finite numbers")
    return network


def check_room(size: int, what: str) -> None:
    """Refuse sizes that exceed the available memory; otherwise the system would kill the process later.

    Raises:
        UsageError: more bytes are needed than are available.
    """
    there = available_memory()
    if size > there:
        raise UsageError(f"{what} needs {memory(size)} of memory, and {memory(there)} is available")


def _unpacked(content: ArrayFile, name: str, count: int) -> NDArray[np.bool_]:
    """Return an array of `count` truth values, which a file stores as bits."""
    bits = content.array(name, np.uint8, (-(-count // 8),))
    return np.unpackbits(bits, count=count).view(np.bool_)


def _empty(content: ArrayFile) -> NTupleNetwork:
    """Return the network that a file describes, with all weights 0."""
    about = content.about
    tuples: Any = about.get("tuples")
    listed = isinstance(tuples, list) and all(isinstance(cells, list) for cells in tuples)
    wrong = [name for name in NUMBERS if type(about.get(name)) is not int]
    wrong += [name for name in FLAGS if type(about.get(name)) is not bool]
    wrong += [] if type(about.get("base")) is float else ["base"]
    wrong += [] if type(about.get("scale", 0.0)) is float and type(about.get("zero", 0)) is int else ["scale"]
    wrong += [name for name in ("codes", "downgrade") if type(about.get(name, 0)) is not int]
    stages: Any = about.get("stages", [])
    if not isinstance(stages, list) or any(type(sum_) is not int for sum_ in stages):
        wrong.append("stages")
    if not listed or any(type(cell) is not int for cells in tuples for cell in cells):
        wrong.append("tuples")
    learned = about.get("learned")
    if wrong or not isinstance(learned, dict):
        raise content.wrong(f"it does not say what its {', '.join(wrong or ['learned'])} are")
    try:
        return NTupleNetwork(
            **{name: about[name] for name in (*NUMBERS, *FLAGS, "base")},
            tuples=tuple(map(tuple, tuples)),
            about=learned,
            **{name: about[name] for name in OPTIONAL if name in about and name != "stages"},
            stages=tuple(stages),
        )
    except UsageError as error:
        raise content.wrong(str(error).partition(": ")[2]) from None
