# jugs.py
"""Two jugs without marks: fill, empty and pour until one of them holds what is wanted."""

from searchlab import Board, Defaults, Domain, Parameter, plugin


def successors(board, left, right):
    a, b = board.tiles[0].tolist()
    poured_right, poured_left = min(a, right - b), min(b, left - a)
    yield "fill-left", Board([[left, b]])
    yield "fill-right", Board([[a, right]])
    yield "empty-left", Board([[0, b]])
    yield "empty-right", Board([[a, 0]])
    yield "pour-right", Board([[a - poured_right, b + poured_right]])
    yield "pour-left", Board([[a + poured_left, b - poured_left]])


DOMAIN = Domain(
    "jugs",
    successors,
    is_goal=lambda board, wanted: wanted in board.tiles,
    summary="measure water with two jugs",
    start=lambda: Board([[0, 0]]),
    parameters=(Parameter("left", 5), Parameter("right", 3), Parameter("wanted", 4)),
    defaults=Defaults(frontier="breadth-first"),
)

hooks = plugin(DOMAIN)
