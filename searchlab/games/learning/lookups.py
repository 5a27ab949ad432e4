"""Source of compiled code that looks up the weights of a packed board in an n-tuple network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.compiler.dependencies import CannotCompile
from searchlab.games.lines import transposing_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.compiler.packing import Packing
    from searchlab.games.learning.network import NTupleNetwork

    Place = Callable[[int], tuple[str, int]]
    """Returns, for a cell, the source of its word, and the cell's lowest bit in it."""


def value_source(network: NTupleNetwork, packing: Packing, weights: str) -> str:
    """Return source that leaves the value of a packed board in `total`.

    Args:
        packing: of `words`, a pointer to the board's words.
        weights: the source of a pointer to the network's weights.
    """
    source = lookups_source(network, packing, "entry{}")
    source += f"    weights = {weights}\n    total = {float(network.base)!r}\n"
    tuples = len(network.tuples)
    for k in range(tuples):
        source += "    of_tuple = 0.0\n"
        source += "".join(f"    of_tuple += weights[entry{k}]\n" for k in range(k, network.lookups, tuples))
        source += "    total += of_tuple\n"
    return source


def lookups_source(network: NTupleNetwork, packing: Packing, target: str) -> str:
    """Return source that computes the indices of the weights of a packed board, in the order of `entries_of`.

    Args:
        packing: of `words`, a pointer to the board's words.
        target: the source of the variable for each index, with {} for its number.

    Raises:
        UsageError: the network is for boards of another shape.
        CannotCompile: the network tells other tiles apart.
    """
    network.check_shape(packing.shape)
    narrow = network.packing
    source, words = _recoded(packing, narrow)
    lookups = [(position, k) for position in range(len(network.positions)) for k in range(len(network.tuples))]
    if narrow.words > 1:
        for lookup, (position, k) in enumerate(lookups):
            cells = network.positions[position][list(network.tuples[k])].tolist()
            place = _places(narrow, words)
            source += f"    {target.format(lookup)} = {_looked_up(network, k, cells, place)}\n"
        return source
    for lookup, (position, k) in enumerate(lookups):
        if k == 0:
            source += _next_position(narrow, position, words[0])
        found = _looked_up(network, k, network.tuples[k], _places(narrow, ["turned"]))
        source += f"    {target.format(lookup)} = {found}\n"
    return source


def _recoded(packing: Packing, narrow: Packing) -> tuple[str, list[str]]:
    """Return source that packs a board as the network does, if it is packed otherwise, and the sources of its words."""
    same_codes = packing.powers_of_two == narrow.powers_of_two
    if narrow.powers_of_two and not same_codes:
        msg = "the network is of tiles that are powers of two, and not all of the domain's are"
        raise CannotCompile(msg)
    if same_codes and packing.bits == narrow.bits and packing.values <= narrow.values:
        return "\n", [f"words[{word}]" for word in range(narrow.words)]
    wide = _places(packing, [f"words[{word}]" for word in range(packing.words)])
    names = [f"narrow{word}" for word in range(narrow.words)]
    source = "\n" + "".join(f"    {name} = U(0)\n" for name in names)
    place = _places(narrow, names)
    for cell in range(packing.cells):
        (word, bit), (name, at) = wide(cell), place(cell)
        code = f"({word} >> U({bit})) & U({(1 << packing.bits) - 1})"
        code = code if same_codes else f"U(1) << ({code}) & ~U(1)"
        source += f"    {name} |= min({code}, U({narrow.values - 1})) << U({at})\n"
    return source, names


def _places(packing: Packing, words: Sequence[str]) -> Place:
    def place(cell: int) -> tuple[str, int]:
        word, cell_in_word = divmod(cell, packing.cells_per_word)
        return words[word], packing.bits * cell_in_word

    return place


def _looked_up(network: NTupleNetwork, k: int, cells: Sequence[int], place: Place) -> str:
    """Return the source of the index of a tuple's weight; cells that are neighbours in a word are shifted together."""
    bits, terms, at = network.bits, [], 0
    places = [place(cell) for cell in cells]
    while at < len(cells):
        word, bit = places[at]
        length = 1
        while at + length < len(cells) and places[at + length] == (word, bit + bits * length):
            length += 1
        moved = bit - bits * at
        shift = f"{word} >> U({moved})" if moved >= 0 else f"{word} << U({-moved})"
        mask = ((1 << bits * length) - 1) << bits * at
        terms.append(f"(({shift}) & U({mask}))")
        at += length
    return f"I({' | '.join(terms)}) + I({network.firsts[k]})"


def _next_position(packing: Packing, position: int, word: str) -> str:
    """Return source that turns the board in `turned` from the position before to this one."""
    if position == 0:
        return f"    turned = {word}\n"
    if position % 2:
        return f"    before = turned\n{transposing_source(packing, 'before')}"
    return _mirroring_source(packing)


def _mirroring_source(packing: Packing) -> str:
    """Return source that mirrors the rows of a packed board in `turned`."""
    side, bits = packing.columns, packing.bits
    terms = []
    for distance in range(1 - side, side, 2):  # cells of some columns move equally far
        columns = [column for column in range(side) if side - 1 - 2 * column == distance]
        cells = [row * side + column for row in range(packing.rows) for column in columns]
        mask = sum(((1 << bits) - 1) << bits * (cell + distance) for cell in cells)
        shift = f"turned << U({bits * distance})" if distance > 0 else f"turned >> U({-bits * distance})"
        terms.append(f"(({shift}) & U({mask}))")
    return f"    turned = {' | '.join(terms)}\n"
