"""Environments of 2048: one that conforms, and four with a fault each."""

import random
import time

MOVES = ("up", "right", "down", "left")


class Ours:
    """Our own rules as an environment."""

    def __init__(self, n=2):
        import searchlab as sl

        self.domain = sl.domain("2048-random", n=n)

    def reset(self, seed):
        from searchlab.games.game import GameState, random_source
        from searchlab.model.randomness import Randomness

        self.game = GameState(self.domain, random_source(self.domain, Randomness(seed)))
        return self.game.board.tiles

    def step(self, action):
        turn = self.game.move(MOVES[action])
        return self.game.board.tiles, turn.points if turn else 0, self.game.is_over, {}

    def set(self, board):
        import searchlab as sl

        self.game.go_on_from(sl.Board(board), 0, 0)


def slide(row):
    """Return a row after a move to the left, and its points."""
    tiles, points, last = [], 0, 0
    for tile in filter(None, row):
        if tile == last:
            tiles[-1], last = 2 * tile, 0
            points += 2 * tile
        else:
            tiles.append(tile)
            last = tile
    return tiles + [0] * (len(row) - len(tiles)), points


class Plain:
    """An environment in plain Python; those below change one method."""

    share_of_fours = 0.1

    def __init__(self, n=2):
        self.n = n

    def reset(self, seed):
        self.random = random.Random(seed)
        self.board = [[0] * self.n for _ in range(self.n)]
        for _ in range(2):
            self.spawn(self.empty())
        return self.board

    def empty(self):
        return [(r, c) for r in range(self.n) for c in range(self.n) if not self.board[r][c]]

    def spawn(self, cells):
        row, column = self.random.choice(cells)
        self.board[row][column] = 4 if self.random.random() < self.share_of_fours else 2

    def row(self, row):
        return slide(row)

    def moved(self, action):
        board = [list(row) for row in zip(*self.board, strict=True)] if action in (0, 2) else self.board
        flip = -1 if action in (1, 2) else 1
        rows = [self.row(row[::flip]) for row in board]
        board = [row[::flip] for row, _ in rows]
        board = [list(row) for row in zip(*board, strict=True)] if action in (0, 2) else board
        return board, sum(points for _, points in rows)

    def step(self, action):
        board, points = self.moved(action)
        if board != self.board:
            self.appear(board)
        return self.board, points, all(self.moved(other)[0] == self.board for other in range(4)), {}

    def appear(self, board):
        self.board = board
        self.spawn(self.empty())


class StaleCount(Plain):
    """The cell is drawn by the number of cells that were empty before the move."""

    def appear(self, board):
        before = max(1, len(self.empty()))
        self.board = board
        self.spawn(self.empty()[:before])


class ManyFours(Plain):
    """Half as many 4s again as there should be."""

    share_of_fours = 0.15


class WrongEnd(Plain):
    """Of three equal tiles the two far from the border merge."""

    def row(self, row):
        tiles, points = slide(row[::-1])
        kept = [tile for tile in tiles[::-1] if tile]
        return kept + [0] * (len(row) - len(kept)), points


class SpawnsAlways(Plain):
    """A tile appears after an illegal move, too."""

    def step(self, action):
        if self.moved(action)[0] == self.board and self.empty():
            self.appear(self.board)
        return super().step(action) if self.moved(action)[0] != self.board else (self.board, 0, False, {})


class Gymnasium(Plain):
    """The form of gymnasium, with exponents and actions in another order."""

    def reset(self, *, seed=None, options=None):
        return self.exponents(super().reset(seed)), {}

    def step(self, action):
        board, points, done, info = super().step((3, 0, 1, 2)[action])
        return self.exponents(board), points, done, False, info

    def exponents(self, board):
        return [[tile.bit_length() - 1 if tile else 0 for tile in row] for row in board]


class EndsAtIllegal(Plain):
    """An illegal move ends the game."""

    def step(self, action):
        illegal = self.moved(action)[0] == self.board
        board, points, done, info = super().step(action)
        return board, points, done or illegal, info


class RaisesAtIllegal(Plain):
    """An illegal move raises an exception."""

    def step(self, action):
        if self.moved(action)[0] == self.board:
            raise ValueError("illegal")
        return super().step(action)


class NoSeed(Plain):
    """It cannot be seeded."""

    def reset(self):
        return super().reset(None)


class WrongScore(Plain):
    """It earns the largest tile."""

    def step(self, action):
        board, points, done, info = super().step(action)
        return board, points + (points > 0), done, info


class TooEarly(Plain):
    """The game is over when no cell is empty."""

    def step(self, action):
        board, points, _, info = super().step(action)
        return board, points, not self.empty(), info


class Crashes(Plain):
    """It cannot merge two 8s."""

    def row(self, row):
        if row.count(8) > 1:
            raise ZeroDivisionError("eight")
        return slide(row)


class NeverBegins(Plain):
    """It cannot begin games from the 30th seed on."""

    def reset(self, seed):
        if seed >= 30:
            raise ValueError("no more games")
        return super().reset(seed)


class CannotSet(Plain):
    """It can be put on a board, it says."""

    def set(self, board):
        raise ValueError("not yet")


class Hangs(Plain):
    """It thinks for long if two 8s are to merge."""

    def row(self, row):
        if row.count(8) > 1:
            time.sleep(1000)
        return slide(row)


class Flat(Plain):
    """The board is a list of cells."""

    def reset(self, seed):
        return [tile for row in super().reset(seed) for tile in row]


class NoStep:
    """It has no step."""

    def reset(self, seed):
        return [[0, 2], [2, 0]]
