"""However large a game is, a fault on a single one of its states is found: by chance in time, by --thorough always.

The games are a ring, a binary tree and the 8-puzzle, each written here and right but for one state. The largest are
checked if SEARCHLAB_ALL_FAULTS is set: that takes about an hour of processor time.
"""

import os
from math import nan

import pytest

import searchlab as sl
from searchlab.testing.contract import Contract
from searchlab.testing.finder import Finder

EVERY = bool(os.environ.get("SEARCHLAB_ALL_FAULTS"))
CALLS = []


def code(tiles):
    """Return a number that tells the states of a game apart."""
    found = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            found = 9 * found + tiles[row, column]
    return found


class Ring:
    """A token goes on or back on a ring; the goal is 0."""

    def __init__(self, states):
        self.states, self.at, self.goal, self.most = states, states * 3 // 7, 0, 2
        self.values, self.start = states, [[0]]

        def moves(tiles, out):
            out[0, 0, 0] = (tiles[0, 0] + 1) % states
            out[1, 0, 0] = (tiles[0, 0] - 1) % states
            return 2

        def left(tiles):
            return min(tiles[0, 0], states - tiles[0, 0])

        self.moves, self.left = moves, left


class Tree:
    """A token goes up and down in a binary tree; the goal is the root."""

    def __init__(self, states):
        self.states, self.at, self.goal, self.most = states, states * 3 // 7, 1, 3
        self.values, self.start = states + 1, [[1]]

        def moves(tiles, out):
            count = 0
            for k in range(3):
                to = tiles[0, 0] // 2 if k == 0 else 2 * tiles[0, 0] + k - 1
                if 1 <= to <= states:
                    out[count, 0, 0] = to
                    count += 1
            return count

        def left(tiles):
            steps, tile = 0, tiles[0, 0]
            while tile > 1:
                tile = tile // 2
                steps += 1
            return steps

        self.moves, self.left = moves, left


class Sliding:
    """The 8-puzzle."""

    def __init__(self, states):
        assert states == 181_440
        self.states, self.most, self.values, self.start = states, 4, 9, [[1, 2, 3], [4, 5, 6], [7, 8, 0]]
        self.at = int(code(sl.Board([[8, 6, 4], [2, 0, 5], [3, 7, 1]]).tiles))
        self.goal = int(code(sl.Board(self.start).tiles))

        def moves(tiles, out):
            count = 0
            for row in range(3):
                for column in range(3):
                    for k in range(4):
                        down, right = (k % 2) * (k - 2), (1 - k % 2) * (k - 1)
                        if tiles[row, column] != 0 or not (0 <= row + down < 3 and 0 <= column + right < 3):
                            continue
                        out[count] = tiles
                        out[count, row, column] = tiles[row + down, column + right]
                        out[count, row + down, column + right] = 0
                        count += 1
            return count

        def left(tiles):
            steps = 0
            for row in range(3):
                for column in range(3):
                    tile = tiles[row, column]
                    if tile != 0:
                        steps += abs((tile - 1) // 3 - row) + abs((tile - 1) % 3 - column)
            return steps

        self.moves, self.left = moves, left


def domain(game, *, packed=None, **changed):
    """Return a game as a domain, some functions of it or of its packed form replaced."""
    goal, most = game.goal, game.most + 1
    form = {"successors": game.moves, "is_goal": lambda tiles: code(tiles) == goal, **(packed or {})}
    declared = {
        "successors": lambda board: list(named(game, board)),
        "is_goal": lambda board: bool(code(board.tiles) == goal),
        "start": lambda: sl.Board(game.start),
        "why_invalid": lambda board: "",
        "why_unsolvable": lambda board: "",
        "lower_bound": lambda board: int(game.left(board.tiles)),
        "packed": lambda board: sl.PackedForm(values=game.values, max_successors=most, **form),
        "inverse": "same",
        **changed,
    }
    return sl.Domain("game", **declared)


def named(game, board):
    """Yield the moves from a board, their names being their numbers."""
    import numpy as np

    out = np.zeros((game.most, *board.shape), np.int64)
    for k in range(game.moves(board.tiles, out)):
        yield f"move-{k}", sl.Board(out[k])


def is_there(game, board):
    return bool(code(board.tiles) == game.at)


def now_and_then(game, board):
    """Return True every other time it is asked about the one state."""
    if not is_there(game, board):
        return False
    CALLS.append(board)
    return len(CALLS) % 2 == 0


def order_alternates(game):
    return domain(game, successors=lambda board: list(named(game, board))[:: -1 if now_and_then(game, board) else 1])


def two_of_one_name(game):
    def successors(board):
        return [("same" if is_there(game, board) else name, after) for name, after in named(game, board)]

    return domain(game, successors=successors)


def one_successor_too_many(game):
    at, moves = game.at, game.moves

    def successors(tiles, out):
        count = moves(tiles, out)
        if code(tiles) == at:
            out[count] = tiles
            count += 1
        return count

    return domain(game, packed={"successors": successors})


def another_cost(game):
    at, moves = game.at, game.moves

    def successors(tiles, out, costs):
        if code(tiles) == at:
            costs[0] = 2.0
        return moves(tiles, out)

    return domain(game, packed={"successors": successors})


def another_goal(game):
    at, goal = game.at, game.goal
    return domain(game, packed={"is_goal": lambda tiles: code(tiles) == goal or code(tiles) == at})


def goal_alternates(game):
    goal = game.goal
    return domain(game, is_goal=lambda board: bool(code(board.tiles) == goal) or now_and_then(game, board))


def refused(game):
    return domain(game, why_invalid=lambda board: "no" if is_there(game, board) else "")


def called_unsolvable(game):
    return domain(game, why_unsolvable=lambda board: "never" if is_there(game, board) else "")


def bound_too_high(game):
    return domain(game, lower_bound=lambda board: int(game.left(board.tiles)) + 40 * is_there(game, board))


def heuristic(game, wrong, at=None):
    """Return a distance as a heuristic, with `wrong(h)` in place of h on one state."""
    at, left = game.at if at is None else at, game.left
    function = lambda tiles: wrong(left(tiles)) if code(tiles) == at else left(tiles) + 0.0  # noqa: E731
    return sl.Heuristic("h", function, admissible=True, consistent=True)


def wraps(game):
    def wrong(h):
        big = 1
        for _ in range(50):
            big *= 3
        return 0.0 + big % 1000

    return heuristic(game, wrong)


def overestimates(game):
    return heuristic(game, lambda h: h + 40.0)


def drops(game):
    return heuristic(game, lambda h: 0.0)


def negative_at_a_goal(game):
    return heuristic(game, lambda h: -1.0, at=game.goal)


def no_number(game):
    return heuristic(game, lambda h: nan)


def changes(game):
    left = game.left
    return sl.Heuristic("h", lambda tiles: left(tiles) + now_and_then(game, sl.Board(tiles)))


FAULTS = {
    order_alternates: "successors",
    two_of_one_name: "actions-replay",
    one_successor_too_many: "same-compiled",
    another_cost: "same-compiled",
    another_goal: "same-compiled",
    goal_alternates: "goal-test",
    refused: "successors",
    called_unsolvable: "bounds",
    bound_too_high: "bounds",
    wraps: "same-compiled",
    overestimates: "admissible",
    drops: "consistent",
    negative_at_a_goal: "goal-value",
    no_number: "answers",
    changes: "deterministic",
}
"""What is wrong on one state, and the property of the contract that finds it."""
SMALL = [(Ring, 300), (Tree, 300)]
LARGE = [(Ring, 10_000), (Tree, 10_000), (Ring, 181_440), (Tree, 181_440), (Sliding, 181_440)]
SOME = [order_alternates, one_successor_too_many, wraps]
CASES = [(fault, *(SMALL[k % 2])) for k, fault in enumerate(FAULTS)] + [(fault, Tree, 10_000) for fault in SOME]
if EVERY:
    CASES = [(fault, *game) for game in SMALL + LARGE for fault in FAULTS]


def contract(component, game, **options):
    on = "" if isinstance(component, sl.Domain) else sl.domain(domain(game))
    (subject,) = Finder(sl.Plugins(entry_points=()), on).find(component)
    return Contract(subject, **options)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "kind", "states"), CASES, ids=lambda item: getattr(item, "__name__", str(item)))
def test_a_fault_on_one_state_is_found(fault, kind, states):
    """The property it belongs to fails, and shows the state."""
    game = kind(states)
    prepared = contract(fault(game), game, thorough=states > 300, seconds=20)
    asked = next(asked for asked in prepared.properties if asked.name == FAULTS[fault])
    finding = prepared.ask(asked)
    assert finding.status == "failed", finding
    wanted = game.goal if fault is negative_at_a_goal else game.at
    shown = [int(code(board.tiles)) for _, board in finding.boards]
    assert wanted in shown or fault is drops


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Ring, Tree])
def test_without_a_fault_nothing_is_found(kind):
    """Neither in the rules nor in the exact distance."""
    game = kind(300)
    for component in (domain(game), heuristic(game, lambda h: h + 0.0)):
        report = contract(component, game, seconds=20).report()
        assert [f"{asked.name}: {finding}" for asked, finding in report.findings if finding.status == "failed"] == []
        assert (report.looked, report.of) == (300, 300)
