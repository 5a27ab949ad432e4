"""The properties of `neighbors`, `is_solvable` and `solve`, by searchlab's domain sliding-tile."""

import random
from itertools import pairwise

import searchlab as sl

EASY = ("sliding-tile/puzzle8-20", "sliding-tile/puzzle8-21", "sliding-tile/puzzle8-22")
BOARDS = 60
DOMAIN = sl.domain("sliding-tile")


def rows(board):
    """Return a board as students have it."""
    return tuple(map(tuple, board.tiles.tolist()))


def shuffled(n):
    """Return boards with the tiles in random order, half of which cannot be solved."""
    choose = random.Random(n)
    tiles = list(range(n * n))
    for _ in range(BOARDS):
        choose.shuffle(tiles)
        yield sl.Board([tiles[row * n : (row + 1) * n] for row in range(n)])


def neighbors(module):
    """The boards after each move, in any order."""
    for n in (2, 3, 4):
        for board in shuffled(n):
            found = {sl.Board(each) for each in module.neighbors(rows(board))}
            wanted = set(DOMAIN.neighbors(board))
            assert not found - wanted, ("no move leads from the first to the second:", board, *(found - wanted))
            assert not wanted - found, ("the move from the first to the second is missing:", board, *(wanted - found))


def tells_solvable(module):
    """How much better than by guessing, which is right on half of the boards; for even and odd n."""
    right, wrong, of = 0, (), 0
    for n in (2, 3, 4, 5):
        for board in shuffled(n):
            of += 1
            wanted = not DOMAIN.why_unsolvable(board)
            holds = bool(module.is_solvable(rows(board))) == wanted
            right += holds
            if not holds and not wrong:
                wrong = f"{'not ' if wanted else ''}solvable, says is_solvable, which is wrong", board
    return max(0, 2 * right / of - 1), *wrong


def solution(module, name):
    """Return the solution that a student finds of a board, as boards of searchlab."""
    board = sl.read_board(name)
    found = module.solve(rows(board))
    assert found is not None, ("solve returned None, and there is a solution", board)
    return [sl.Board(each) for each in found]


def solution_by_the_rules(module):
    """It begins at the board, each move is one of the rules, and it ends at the goal."""
    for name in EASY[:1]:
        boards = solution(module, name)
        assert boards[0] == sl.read_board(name), ("the solution does not begin at the board, but here:", boards[0])
        for before, after in pairwise(boards):
            assert after in DOMAIN.neighbors(before), ("no move leads from the first to the second:", before, after)
        assert DOMAIN.is_goal(boards[-1]), ("the solution ends here:", boards[-1])


def shortest_solution(module):
    """No solution is shorter; the names of the boards say how long the shortest is."""
    for name in EASY:
        best = int(name.rpartition("-")[2])
        found = len(solution(module, name)) - 1
        assert found == best, (f"{found} moves, and {best} are enough", sl.read_board(name))


def no_solution(module):
    """Of a board with two tiles exchanged."""
    board = ((1, 2, 3), (4, 5, 6), (8, 7, 0))
    assert module.solve(board) is None, ("this board has no solution", sl.Board(board))
