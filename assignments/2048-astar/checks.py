"""The properties of `Board`, `astar` and `transcript`, by the rules of searchlab's domain 2048."""

import random
from itertools import pairwise

import searchlab as sl

ROWS = [[0, 2, 4, 0], [8, 0, 0, 2], [16, 2, 2, 0], [0, 0, 32, 4]]
FULL = [[2, 4], [4, 2]]
"""A board without a move."""
BOARDS, LONGEST = 200, 120


def keeps_its_tiles(module):
    """It has the tiles it was given, also if the list of rows changes afterwards."""
    rows = [list(row) for row in ROWS]
    board = module.Board(rows)
    rows[0][1] = 1024
    assert board.n == 4, f"n is {board.n} on a board with 4 rows"
    for row, tiles in enumerate(ROWS):
        for column, tile in enumerate(tiles):
            found = board.tile_at(row, column)
            assert found == tile, (f"tile_at({row}, {column}) is {found}, and {tile} is there", sl.Board(ROWS))
    assert board.largest_tile() == 32, (f"largest_tile() is {board.largest_tile()}", sl.Board(ROWS))


def equal_boards(module):
    """Equal boards are equal and have one hash; others are not."""
    one, same, other = module.Board(ROWS), module.Board([list(row) for row in ROWS]), module.Board(ROWS[::-1])
    assert one == same, "two boards with the same tiles are not equal"
    assert one != other, "two boards with other tiles are equal"
    assert hash(one) == hash(same), "two equal boards have different hashes"
    assert len({one, same, other}) == 2, "a set of two equal boards and another one has not two boards"


def sampled(domain):
    """Return boards of random games."""
    choose = random.Random(2048)
    boards = []
    while len(boards) < BOARDS:
        board = domain.start()
        for _ in range(choose.randrange(LONGEST)):
            following = domain.neighbors(board)
            if not following:
                break
            board = choose.choice(following)
        boards.append(board)
    return boards


def neighbors(module):
    """The share of boards with the right neighbours, in any order, and the first board with others."""
    domain = sl.domain("2048:goal=131072")
    right, wrong = 0, ()
    boards = sampled(domain)
    for board in boards:
        wanted = set(domain.neighbors(board))
        try:
            found = {own(module, each, 4) for each in module.Board(board.tiles.tolist()).neighbors()}
        except Exception as error:  # noqa: BLE001 - of the student's code
            wrong = wrong or (f"neighbors() raises {type(error).__name__}: {error}", board)
            continue
        right += found == wanted
        if found != wanted and not wrong:
            surplus = next(iter(found - wanted), None)
            said = "no move leads to the second board" if surplus else "neighbors() lacks a board"
            wrong = (said, board, *([surplus] if surplus else []))
    return right / len(boards), *wrong


def own(module, board, n):
    """Return a student's board as one of searchlab."""
    return sl.Board([[board.tile_at(row, column) for column in range(n)] for row in range(n)])


def nothing(board):
    """An estimate that never exceeds the moves to go."""
    return 0


def game(module, start, goal):
    """Return the game that a student's A* finds, as boards of searchlab."""
    found = module.astar(module.Board(start.tiles.tolist()), goal, nothing)
    assert found is not None, (f"astar returned None, and there is a game to {goal}", start)
    return [own(module, board, start.n) for board in found]


def game_by_the_rules(module):
    """It begins at the start, each move is one of the rules, and it ends when the tile is there."""
    for goal in (8, 16):
        domain = sl.domain(f"2048:goal={goal}")
        boards = game(module, domain.start(), goal)
        assert boards[0] == domain.start(), ("the game does not begin at the start, but here:", boards[0])
        for before, after in pairwise(boards):
            assert after in domain.neighbors(before), ("no move leads from the first to the second:", before, after)
        assert boards[-1].largest_tile() >= goal, (f"the game to {goal} ends here:", boards[-1])


def shortest_game(module):
    """No game is shorter: searchlab's A* proves it."""
    for n, goal in ((4, 8), (4, 16), (3, 16)):
        best = sl.solve(domain=f"2048:goal={goal},n={n}", heuristic="moves-to-go", frontier="astar")
        assert best.optimal
        found = len(game(module, best.boards[0], goal)) - 1
        assert found == best.moves, f"{found} moves to {goal} on {n} × {n}, and {best.moves} are enough"


def no_game(module):
    """From a board without a move, and on 2 × 2 cells to 64, no game leads."""
    assert module.astar(module.Board(FULL), 8, nothing) is None, ("there is no game from this board", sl.Board(FULL))
    assert module.astar(module.Board([[0, 2], [0, 0]]), 64, nothing) is None, "there is no game to 64 on 2 × 2"


def transcript(module):
    """The number of moves, and the tiles of each board in their places."""
    boards = [module.Board([[0, 2], [0, 0]]), module.Board([[0, 2], [0, 2]])]
    said = module.transcript(boards)
    wanted = [["1", "moves"], [], ["0", "2"], ["0", "0"], [], ["0", "2"], ["0", "2"]]
    found = [line.split() for line in said.strip().splitlines()]
    assert found in (wanted, [["1", "move"], *wanted[1:]]), f"the transcript of a game of one move is {said!r}"
