"""Source code of kernels that looks up the weights of a packed board in an n-tuple network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.compiler.compile_errors import CannotCompile
from searchlab.compiler.intrinsics import store_fields
from searchlab.games.learning.network import LARGEST_CODE
from searchlab.games.lines import transpose_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.compiler.packing import Packing
    from searchlab.games.learning.network import NTupleNetwork

    CellLocation = Callable[[int], tuple[str, int]]
    """Returns the location of a cell: the source code of its word, and its lowest bit there."""

REFLECTIONS = ((1, 0, False), (7, 0, True), (2, 1, True), (6, 7, False), (3, 2, False), (5, 6, True), (4, 5, False))
"""The positions of a board: its number, the number it follows from, and whether by mirroring (else transposing)."""


def fetch_source(network: NTupleNetwork, packing: Packing, weights: str) -> tuple[str, dict[str, Any]]:
    """Return source code that writes the indices of a packed board's weights to `into` and prefetches the weights.

    The second return value holds the names that the code uses.

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
        stored = " + ".join(f"I(weights[into[{k}]])" for k in range(network.lookups))
        return source + f"    total = {network.of_zeros!r} + {network.scale!r} * ({stored})\n"
    source += f"    total = {float(network.base)!r}\n"
    positions = len(network.positions)
    for k in range(len(network.tuples)):
        source += "    tuple_sum = 0.0\n"
        for at in range(positions):
            source += f"    tuple_sum += weights[into[{k * positions + at}]]\n"
        source += "    total += tuple_sum\n"
    return source


def _one_by_one_source(network: NTupleNetwork, packing: Packing, factor: int) -> str:
    """Return the source code of `places_source` that computes each position of each tuple by itself."""
    wanted = network.packing
    source, words = _board_source(network, packing)
    positions = len(network.positions)
    lookups = [(position, k) for position in range(positions) for k in range(len(network.tuples))]
    if wanted.words > 1:
        for position, k in lookups:
            cells = network.positions[position][list(network.tuples[k])].tolist()
            location = _locations(wanted, words)
            index = _index_source(network, k, cells, location)
            source += f"    into[{k * positions + position}] = {factor} * ({index})\n"
        return source
    for position, k in lookups:
        if k == 0:
            source += _next_symmetry(wanted, position, words[0])
        index = _index_source(network, k, network.tuples[k], _locations(wanted, ["reflected"]))
        source += f"    into[{k * positions + position}] = {factor} * ({index})\n"
    return source


def places_source(network: NTupleNetwork, packing: Packing, factor: int) -> tuple[str, dict[str, Any]]:
    """Return source code that writes the indices of a board's weights, times a factor, to `into`, and its names.

    The indices of all positions of a tuple are adjacent; for boards of one word they are computed together.

    Args:
        packing: the packing of the board in `words`, a pointer.

    Raises:
        UsageError: the network is for boards of another shape.
        CannotCompile: the network has other tiles than the board may have.
    """
    network.check_shape(packing.shape)
    wanted = network.packing
    if wanted.words > 1 or not network.symmetric or not _are_fields(network):
        return _one_by_one_source(network, packing, factor), {}
    source, words = _board_source(network, packing)
    source += f"    word0 = {words[0]}\n"
    for number, before, mirrored in REFLECTIONS:
        source += _mirror_source(wanted, f"word{before}") if mirrored else transpose_source(wanted, f"word{before}")
        source += f"    word{number} = reflected\n"
    names = {}
    for k, cells in enumerate(network.tuples):
        fields = [(offset, mask) for _, offset, mask in _fields(network, cells, _locations(wanted, ["word"]))]
        names[f"store{k}"] = store_fields(fields, factor, factor * network.firsts[k])
        source += f"    store{k}(into, {k * len(network.positions)}, ({', '.join(f'word{at}' for at in range(8))}))\n"
    if network.stages:
        source += "    if stage_first > 0:\n"
        source += f"        for k in range({network.lookups}):\n"
        source += f"            into[k] = I(into[k]) + {factor} * stage_first\n"
    return source, names


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
        if not packing.is_uniform:  # values below 0 have no weights of their own
            code = f"U(max(I({code}) + I({packing.cell(cell).low}), I(0)))"
        code = code if same_codes else f"U(1) << ({code}) & ~U(1)"
        source += f"    {name} |= min({code}, U({wanted.values - 1})) << U({at})\n"
    return source, names


def _board_source(network: NTupleNetwork, packing: Packing) -> tuple[str, list[str]]:
    """Return source code that reads a board as the network does, and the source code of the words it is in then.

    It also sets `stage_first` if there are stages.
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
    """Return source code that downgrades a board in variables of these names, if it has a tile to be; see `network`."""
    packing, code = network.packing, network.downgrade.bit_length() - 1
    if code >= packing.values:
        return ""
    ones = (1 << packing.bits) - 1
    source = f"    if ({_has_tile_source(packing, names, code)}) != U(0):\n"
    source += f"        seen = {_seen_source(packing, names)}\n"
    source += f"        missing = I({min(packing.values, 64) - 1})\n"
    source += "        while (seen >> U(missing)) & U(1) == U(0):\n            missing -= 1\n"
    source += "        while missing > 0 and (seen >> U(missing)) & U(1) != U(0):\n            missing -= 1\n"
    source += "        if missing > 0:\n"
    for name, shift in _places(packing, names):
        above = f"U(I(({name} >> U({shift})) & U({ones})) > missing)"
        source += f"            {name} -= {above} << U({shift})\n"
    return source


def _has_tile_source(packing: Packing, words: Sequence[str], code: int) -> str:
    """Return source code of a number that is nonzero if a board has a tile with this or a larger code."""
    half = 1 << (packing.bits - 1)
    carried = half - code if code < half else 2 * half - code
    reached = []
    for number, word in enumerate(words):  # a field has its highest bit if its code is large enough
        shifts = (packing.cell(cell) for cell in range(packing.cells))
        each = sum(1 << at.shift for at in shifts if at.word == number)
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
    terms = _terms_of_fields(network, cells, location) if _are_fields(network) else _terms(network, cells, location)
    stage = " + stage_first" if network.stages else ""
    return f"I({' + '.join(terms)}) + I({network.firsts[k]}){stage}"


def _are_fields(network: NTupleNetwork) -> bool:
    """Return whether the bits of the cells' codes, side by side, form an index."""
    return network.packing.values == 1 << network.bits


def _terms(network: NTupleNetwork, cells: Sequence[int], location: CellLocation) -> Iterator[str]:
    """Yield source code of each cell's contribution to an index."""
    for place, (word, bit) in enumerate(map(location, cells)):
        code = f"({word} >> U({bit})) & U({(1 << network.bits) - 1})"
        yield f"(({code}) * U({network.packing.values**place}))"


def _terms_of_fields(network: NTupleNetwork, cells: Sequence[int], location: CellLocation) -> Iterator[str]:
    """Yield the same if codes lie side by side; neighbouring cells of a word are shifted together."""
    for word, offset, mask in _fields(network, cells, location):
        shift = f"{word} >> U({offset})" if offset >= 0 else f"{word} << U({-offset})"
        yield f"(({shift}) & U({mask}))"


def _fields(network: NTupleNetwork, cells: Sequence[int], location: CellLocation) -> Iterator[tuple[str, int, int]]:
    """Yield the parts of an index: a word, the distance it is shifted to the right, and the mask of bits."""
    bits, at = network.bits, 0
    locations = [location(cell) for cell in cells]
    while at < len(cells):
        word, bit = locations[at]
        length = 1
        while at + length < len(cells) and locations[at + length] == (word, bit + bits * length):
            length += 1
        yield word, bit - bits * at, ((1 << bits * length) - 1) << bits * at
        at += length


def _next_symmetry(packing: Packing, position: int, word: str) -> str:
    """Return source code that reflects the board in `reflected` from the previous symmetry to this one."""
    if position == 0:
        return f"    reflected = {word}\n"
    if position % 2:
        return f"    before = reflected\n{transpose_source(packing, 'before')}"
    return _mirror_source(packing, "reflected")


def _mirror_source(packing: Packing, word: str) -> str:
    """Return source code that sets `reflected` to a packed board of one word with its rows mirrored."""
    side, bits = packing.columns, packing.bits
    terms = []
    for distance in range(1 - side, side, 2):  # the cells of a column move equally far
        columns = [column for column in range(side) if side - 1 - 2 * column == distance]
        cells = [row * side + column for row in range(packing.rows) for column in columns]
        mask = sum(((1 << bits) - 1) << bits * (cell + distance) for cell in cells)
        shift = f"{word} << U({bits * distance})" if distance > 0 else f"{word} >> U({-bits * distance})"
        terms.append(f"(({shift}) & U({mask}))")
    return f"    reflected = {' | '.join(terms)}\n"
