"""Write the source code with which kernels look up the weights of a packed board in an n-tuple network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.compiler.compile_errors import CannotCompile
from searchlab.compiler.intrinsics import DIGITS, store_indices
from searchlab.games.layered_boards import Symmetry
from searchlab.games.learning.network import LARGEST_CODE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.compiler.packing import Packing
    from searchlab.games.learning.network import NTupleNetwork

    CellLocation = Callable[[int], tuple[str, int]]
    """Returns the location of a cell: the source code of its word, and its lowest bit there."""

BITS_OF_DIGIT = 8
"""The most bits of a cell's code for which indices are computed together."""


def fetch_source(network: NTupleNetwork, packing: Packing, weights: str) -> tuple[str, dict[str, Any]]:
    """Return source code that writes the indices of a packed board's weights to `into` and prefetches the weights.

    The second return value maps the names that the code uses to their values.

    Args:
        packing: the packing of the board in `words`, a pointer.
        weights: source code of a pointer to the network's weights.
    """
    source, names = places_source(network, packing, 1)
    fetched = f"    for k in range({network.lookups}):\n        prefetch(weights, I(into[k]))\n"
    return f"{source}    weights = {weights}\n{fetched}", names


def sum_source(network: NTupleNetwork, weights: str) -> str:
    """Return source code that sets `total` to the value of a board, given the indices of its weights in `into`.

    Args:
        weights: source code of a pointer to the network's weights.
    """
    source = f"\n    weights = {weights}\n"
    if network.scale:  # whole numbers, which add up to the same in any order
        stored = " + ".join(f"I(weights[into[{k}]])" for k in range(network.lookups - network.whole))
        for k in range(network.lookups - network.whole, network.lookups):
            stored += f"{' + ' if stored else ''}{len(network.positions)} * I(weights[into[{k}]])"
        return source + f"    total = {network.of_zeros!r} + {network.scale!r} * ({stored})\n"
    source += f"    total = {float(network.base)!r}\n"
    positions = len(network.positions)
    for k in range(len(network.tuples) - network.whole):
        source += "    tuple_sum = 0.0\n"
        for at in range(positions):
            source += f"    tuple_sum += weights[into[{k * positions + at}]]\n"
        source += "    total += tuple_sum\n"
    for k in range(network.lookups - network.whole, network.lookups):
        source += f"    total += {float(positions)!r} * weights[into[{k}]]\n"
    return source


def _one_by_one_source(network: NTupleNetwork, packing: Packing, factor: int) -> str:
    """Return source code for `places_source` that computes each position of each tuple separately."""
    source, words = _board_source(network, packing)
    location = _locations(network.packing, words)
    positions = len(network.positions)
    for position, k in ((position, k) for position in range(positions) for k in _partial(network)):
        index = _index_source(network, k, _cells(network, position, k), location)
        source += f"    into[{k * positions + position}] = {factor} * ({index})\n"
    return source + _whole_source(network, words, factor)


def _partial(network: NTupleNetwork) -> range:
    """Return the numbers of the tuples that are looked up in each position."""
    return range(len(network.tuples) - network.whole)


def _whole_source(network: NTupleNetwork, words: Sequence[str], factor: int) -> str:
    """Return source code that looks up the whole tuples, in the position of the board with the smallest number."""
    if not network.whole:
        return ""
    source, location = f"    word = {words[0]}\n", _locations(network.packing, ["word"])
    source += Symmetry(network.packing, is_symmetric=True).source()
    for lookup in range(network.lookups - network.whole, network.lookups):
        k = len(network.tuples) - network.lookups + lookup
        index = _index_source(network, k, network.tuples[k], location)
        source += f"    into[{lookup}] = {factor} * ({index})\n"
    return source


def places_source(network: NTupleNetwork, packing: Packing, factor: int) -> tuple[str, dict[str, Any]]:
    """Return source code that writes the indices of a board's weights, times a factor, to `into`, and its names.

    The indices of all positions of a tuple are adjacent. For boards of one word they are computed together.

    Args:
        packing: the packing of the board in `words`, a pointer.

    Raises:
        UsageError: the network is for boards of another shape.
        CannotCompile: the network does not know all tiles that the board may have.
    """
    network.check_shape(packing.shape)
    wanted, positions = network.packing, range(len(network.positions))
    if (
        wanted.words > 1
        or wanted.bits > BITS_OF_DIGIT
        or any(len(network.tuples[k]) > DIGITS for k in _partial(network))
    ):
        return _one_by_one_source(network, packing, factor), {}
    source, words = _board_source(network, packing)
    names = {}
    for k in _partial(network):
        of_positions = [_cells(network, position, k) for position in positions]
        first = factor * network.firsts[k]
        names[f"store{k}"] = store_indices(of_positions, wanted.bits, wanted.values, factor, first)
        source += f"    store{k}(into, {k * len(positions)}, {words[0]})\n"
    if network.stages:
        source += "    if stage_first > 0:\n"
        source += f"        for k in range({network.lookups - network.whole}):\n"
        source += f"            into[k] = I(into[k]) + {factor} * stage_first\n"
    return source + _whole_source(network, words, factor), names


def _cells(network: NTupleNetwork, position: int, k: int) -> list[int]:
    """Return the cells of a tuple in a position of the board."""
    cells: list[int] = network.positions[position][list(network.tuples[k])].tolist()
    return cells


def _repacked(packing: Packing, wanted: Packing) -> tuple[str, list[str]]:
    """Return source code that packs a board as the network does, and the source code of its words."""
    same_codes = packing.powers_of_two == wanted.powers_of_two
    if wanted.powers_of_two and not same_codes:
        msg = "the network is of tiles that are powers of two, and not all of the domain's are"
        raise CannotCompile(msg)
    if packing.is_uniform and same_codes and packing.bits == wanted.bits and packing.values <= wanted.values:
        return "\n", [f"words[{word}]" for word in range(wanted.words)]
    given = _locations(packing, [f"words[{word}]" for word in range(packing.words)])
    names = [f"wanted{word}" for word in range(wanted.words)]
    source = "\n" + "".join(f"    {name} = U(0)\n" for name in names)
    location = _locations(wanted, names)
    for cell in range(packing.cells):
        (word, bit), (name, at) = given(cell), location(cell)
        code = f"({word} >> U({bit})) & U({(1 << packing.cell(cell).bits) - 1})"
        if not packing.is_uniform:  # negative values have no weights of their own
            code = f"U(max(I({code}) + I({packing.cell(cell).low}), I(0)))"
        code = code if same_codes else f"U(1) << ({code}) & ~U(1)"
        source += f"    {name} |= min({code}, U({wanted.values - 1})) << U({at})\n"
    return source, names


def _board_source(network: NTupleNetwork, packing: Packing) -> tuple[str, list[str]]:
    """Return source code that reads a board as the network does, and the source code of the resulting words.

    The code also sets `stage_first` if there are stages.
    """
    source, words = _repacked(packing, network.packing)
    if network.downgrade:
        names = [f"downgraded{word}" for word in range(network.packing.words)]
        source += "".join(f"    {name} = {word}\n" for name, word in zip(names, words, strict=True))
        source, words = source + _downgrading_source(network, names), names
    return source + (_stage_source(network, words) if network.stages else ""), words


def _stage_source(network: NTupleNetwork, words: Sequence[str]) -> str:
    """Return source code that sets `stage_first` to the index of the first weight of a board's stage."""
    packing = network.packing
    source = "    stage_first = I(0)\n"
    source += f"    if ({_has_tile_source(packing, words, network.stages[0].bit_length() - 1)}) != U(0):\n"
    source += f"        seen = {_seen_source(packing, words)}\n"
    for first_sum in network.stages:
        source += f"        if seen >= U({first_sum}):\n            stage_first += I({network.stage_entries})\n"
    return source


def _downgrading_source(network: NTupleNetwork, names: Sequence[str]) -> str:
    """Return source code that downgrades a board, in variables of these names, if a tile is large; see `network`."""
    packing, code = network.packing, network.downgrade.bit_length() - 1
    if code >= packing.values:
        return ""
    bits = packing.bits
    ones = (1 << bits) - 1
    source = f"    if ({_has_tile_source(packing, names, code)}) != U(0):\n"
    source += f"        seen = {_seen_source(packing, names)}\n"
    source += "        missing = ~seen & ((U(1) << U(63 - leading_zeros(I(seen)))) - U(2))\n"
    source += "        if missing != U(0):\n"
    source += f"            carried = U({ones - 63} + leading_zeros(I(missing)))\n"
    for number, name in enumerate(names):  # a code above the missing code carries into the next field, which is empty
        for odd in (0, 1):
            fields = sum(1 << shift - bits * odd for shift in _shifts(packing, number) if shift // bits % 2 == odd)
            if fields:
                at = f"({name} >> U({bits}))" if odd else name
                above = f"((({at} & U({fields * ones})) + carried * U({fields})) >> U({bits})) & U({fields})"
                source += f"            above{odd} = {above}\n"
            else:
                source += f"            above{odd} = U(0)\n"
        source += f"            {name} -= above0 | above1 << U({bits})\n"
    return source


def _shifts(packing: Packing, word: int) -> list[int]:
    """Return the lowest bits of the cells in a word."""
    cells = map(packing.cell, range(packing.cells))
    return [at.shift for at in cells if at.word == word]


def _has_tile_source(packing: Packing, words: Sequence[str], code: int) -> str:
    """Return source code of a number that is nonzero if a board has a tile with at least this code."""
    half = 1 << (packing.bits - 1)
    carried = half - code if code < half else 2 * half - code
    reached = []
    for number, word in enumerate(words):  # a field has its highest bit if its code is large enough
        each = sum(1 << shift for shift in _shifts(packing, number))
        sums = f"({word} & U({each * (half - 1)})) + U({each * carried})"
        both = "|" if code < half else "&"
        reached.append(f"((({sums}) {both} {word}) & U({each * half}))")
    return " | ".join(reached)


def _seen_source(packing: Packing, words: Sequence[str]) -> str:
    """Return source code of the set of a board's codes, one bit each."""
    ones = (1 << packing.bits) - 1
    codes = (f"({word} >> U({shift})) & U({ones})" for word, shift in _places(packing, words))
    if packing.values > LARGEST_CODE:
        codes = (f"min({code}, U({LARGEST_CODE}))" for code in codes)
    return " | ".join(f"U(1) << ({code})" for code in codes)


def _places(packing: Packing, words: Sequence[str]) -> list[tuple[str, int]]:
    cells = map(packing.cell, range(packing.cells))
    return [(words[at.word], at.shift) for at in cells]


def _locations(packing: Packing, words: Sequence[str]) -> CellLocation:
    def location(cell: int) -> tuple[str, int]:
        at = packing.cell(cell)
        return words[at.word], at.shift

    return location


def _index_source(network: NTupleNetwork, k: int, cells: Sequence[int], location: CellLocation) -> str:
    index = " + ".join(_terms(network, cells, location))
    stage = " + stage_first" if network.stages else ""
    return f"I({index}) + I({network.firsts[k]}){stage}"


def _terms(network: NTupleNetwork, cells: Sequence[int], location: CellLocation) -> Iterator[str]:
    """Yield source code of each cell's contribution to an index."""
    for place, (word, bit) in enumerate(map(location, cells)):
        code = f"({word} >> U({bit})) & U({(1 << network.bits) - 1})"
        yield f"(({code}) * U({network.packing.values**place}))"
