"""Environments of unusual form, and ones that return what no environment should."""

import random
from typing import NamedTuple

import numpy as np

from tests.testing.conformance.environments import NoSeed, Plain


class NoPoints(Plain):
    """It has no points: the reward is None."""

    def step(self, action):
        board, _, done, info = super().step(action)
        return board, None, done, info


class CornerLeftOut(Plain):
    """No game begins with a tile in the last cell."""

    def reset(self, seed):
        self.begins = True
        board = super().reset(seed)
        self.begins = False
        return board

    def empty(self):
        return super().empty()[: -1 if self.begins else None]


class FirstTwos(Plain):
    """Games begin with 2s."""

    def reset(self, seed):
        self.share_of_fours = 0
        board = super().reset(seed)
        self.share_of_fours = 0.1
        return board


class Arrays(Plain):
    """It returns a list, and all in it are arrays; the board is the same object each time."""

    def reset(self, seed):
        self.shown = np.array(super().reset(seed), np.float32)
        return self.shown

    def step(self, action):
        board, points, done, info = super().step(action)
        self.shown[:] = board
        return [self.shown, np.array([points]), np.bool_(done), info]


class ChangesLater(Plain):
    """It writes into the boards that it returned before."""

    def step(self, action):
        board, *rest = super().step(action)
        for row in getattr(self, "shown", []):
            row[:] = [64] * self.n
        self.shown = [list(row) for row in board]
        return self.shown, *rest


class SeedsByArgs(Plain):
    """Its reset names no argument."""

    def reset(self, *args):
        return super().reset(*args)


class SeedsByMethod(NoSeed):
    """It is seeded by a method of its own."""

    def seed(self, seed):
        self.next_seed = seed

    def reset(self):
        return Plain.reset(self, self.next_seed)


class Prints(Plain):
    """It prints each move."""

    def step(self, action):
        print("move", action)
        return super().step(action)


class NeverOver(Plain):
    """No game is over."""

    def step(self, action):
        board, points, _, info = super().step(action)
        return board, points, False, info


class Returns(Plain):
    """It returns something else from the third move on.

    Args:
        changed: what it returns, made from the four values of a step.
    """

    def __init__(self, changed):
        super().__init__(2)
        self.changed, self.steps = changed, 0

    def step(self, action):
        self.steps += 1
        returned = super().step(action)
        return self.changed(*returned) if self.steps > 2 else returned


class Unspeakable(Exception):
    """An exception without a text."""

    def __str__(self):
        raise RuntimeError


class OnGraphicsCard:
    """An array that cannot be converted."""

    def __array__(self, *_, **__):
        raise TypeError("it is on the device cuda:0")


class FourByFour(Plain):
    """Its factory has a parameter n, and takes only one value."""

    def __init__(self, n=4):
        assert n == 4, "there are 4 × 4 cells"
        super().__init__(n)


class OnlyOnce(Plain):
    """There can be one of it."""

    made = False

    def __init__(self, n=2):
        assert not OnlyOnce.made, "there is one already"
        OnlyOnce.made = True
        super().__init__(n)


class State(NamedTuple):
    """A state of an environment in the form of pgx."""

    observation: object
    rewards: object
    terminated: object
    truncated: object
    board: object


class Stateless:
    """The form of pgx: functions of a state, with the board as layers of yes and no, one for each exponent."""

    layers = 18

    def __init__(self, n=2):
        self.game = Plain(n)

    def init(self, key):
        return self.state(self.game.reset(key), 0, over=False)

    def step(self, state, action, key):
        self.game.board, self.game.random = state.board, random.Random(key)
        board, points, over, _ = self.game.step(action)
        return self.state(board, points, over=over)

    def state(self, board, points, *, over):
        exponents = np.array([[tile.bit_length() - 1 if tile else 0 for tile in row] for row in board])
        seen = exponents[:, :, None] == np.arange(self.layers) if self.layers else exponents
        return State(seen, np.array([points], np.float32), np.bool_(over), np.bool_(0), [list(row) for row in board])


class StatelessRows(Stateless):
    """The same with exponents as rows."""

    layers = 0
