"""The referee, which makes moves in an environment, and compares each outcome with the rules."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from searchlab.errors import PluginError
from searchlab.model.formatting import counted, value
from searchlab.testing.conformance.rules import BACKWARDS, UPRIGHT, towards
from searchlab.testing.conformance.spawns import SPAWNED, FirstTiles, Spawns

if TYPE_CHECKING:
    from searchlab.testing.conformance.environment import GameEnvironment, Rows, StepOutcome
    from searchlab.testing.conformance.rules import Line, Slid, SlidingRules

ANSWERS, START, SET, SLIDES, TRIPLES, SCORE, APPEARS, ILLEGAL, END = (
    "answers",
    "start",
    "set",
    "slides",
    "equal tiles",
    "score",
    "spawn",
    "illegal",
    "end",
)
UNCHANGED, ENDS, RAISES = "unchanged", "ends", "raises"


@dataclass
class Fault:
    """A deviation from the rules: the smallest example, and the number of occurrences.

    Attributes:
        size: the size of the example; a smaller example replaces it.
        text: the example in one line.
        count: the number of outcomes with this fault.
    """

    size: tuple[object, ...]
    text: str
    count: int = 1


@dataclass
class Referee:
    """Make moves in an environment, and collect deviations from the rules.

    Attributes:
        environment: the environment.
        rules: the rules.
        illegal: the expected effect of an illegal move: `unchanged`, `ends` or `raises`.
        seed: the seed of the next game. Each game has its own seed, because equal tiles would count twice.
        opening: the number of tiles at the beginning, or None if it is not checked.
        board: the current board.
        legal: the legal moves, each with the board after it.
        over: whether the game is over, by the environment or by the rules.
        score: the rewards of the current game, or the points by the rules if the environment has no rewards.
        moves: the number of legal moves so far, in all games.
        illegal_moves: the number of illegal moves so far.
        lines: the lines that were moved so far.
        faults: the deviations, by the name of the check.
        has_points: whether all moves had a reward.
        spawns: the tiles that appeared.
        first: the tiles with which games began.
        failures: the number of games that an exception ended.
        waited: the seconds that failing calls took.
    """

    environment: GameEnvironment
    rules: SlidingRules
    illegal: str
    seed: int
    opening: int | None = None
    board: Rows = ()
    legal: dict[str, Slid] = field(default_factory=dict)
    over: bool = False
    score: float = 0
    moves: int = 0
    illegal_moves: int = 0
    lines: set[Line] = field(default_factory=set)
    faults: dict[str, Fault] = field(default_factory=dict)
    has_points: bool = True
    spawns: Spawns = field(default_factory=Spawns)
    first: FirstTiles = field(init=False)
    failures: int = 0
    waited: float = 0

    def __post_init__(self) -> None:
        self.first = FirstTiles(self.rules.side**2)

    def begin(self) -> None:
        """Begin the next game; if this fails, the game is over."""
        self.score, began, seed = 0, time.monotonic(), self.seed
        self.seed += 1
        try:
            board = self.environment.reset(seed)
        except PluginError as error:
            self._failed(START, (seed,), str(error), began)
            return
        self._arrive(board)
        self.over = not self.legal
        cells = [tile for row in board for tile in row]
        tiles = [tile for tile in cells if tile]
        wanted = len(tiles) if self.opening is None else self.opening
        if len(tiles) != wanted or not set(tiles) <= set(SPAWNED):
            text = f"reset({seed}) begins with {self.shown(board)}, not with {counted(wanted, 'tile')} 2 or 4"
            self._fault(START, (seed,), text)
        else:
            self.first.add(cells)

    def set(self, board: Rows) -> bool:
        """Set the board of the environment; return False if it does not support this, or failed."""
        began = time.monotonic()
        try:
            is_set = self.environment.set(board)
        except PluginError as error:
            self.waited += time.monotonic() - began
            self._fault(SET, size(board), f"set({self.shown(board)}): {error}")
            return False
        self._arrive(board)
        self.over = not is_set
        return is_set

    def move(self, move: str) -> bool:
        """Make a move; return whether it was legal."""
        before, slid = self.board, self.legal.get(move)
        if slid is None:
            self.illegal_moves += 1
            self._illegal(move)
            return False
        self.moves += 1
        self.lines.update(towards(before, move))
        began = time.monotonic()
        try:
            outcome = self.environment.step(move)
        except PluginError as error:
            self._failed(SLIDES, size(before), f"{self._of(move)}: {error}", began)
            return True
        reward = outcome.reward
        if reward is None:
            self.has_points, reward = False, slid.points
        self.score += reward
        if self._compare(before, move, slid.board, outcome.board) and reward != slid.points:
            text = f"{self._of(move)} earned {value(reward)}, not {slid.points}"
            self._fault(SCORE, (*size(before), slid.points), text)
        self._end(outcome)
        return True

    def _compare(self, before: Rows, move: str, slid: Rows, found: Rows) -> bool:
        """Compare the board after a move with the rules, except for a new tile; return whether they agree."""
        flat, seen = [tile for row in slid for tile in row], [tile for row in found for tile in row]
        differences = [cell for cell, tile in enumerate(flat) if tile != seen[cell]]
        if len(differences) == 1:
            cell = differences[0]
            if not flat[cell] and seen[cell] in SPAWNED:
                empty = sum(1 << number for number, tile in enumerate(flat) if not tile)
                self.spawns.add(empty, cell, seen[cell])
                return True
        lines = zip(towards(before, move), towards(slid, move), towards(found, move), strict=True)
        for line, right, wrong in lines:
            changed = [(old, new) for old, new in zip(right, wrong, strict=True) if old != new]
            if len(changed) > 1 or any(old for old, _ in changed):
                self._fault_of_line(move, line, right, wrong)
                return False
        text = f"{self._of(move)}: "
        if not differences:
            text += "no tile appeared"
        else:
            tiles = ", ".join(str(seen[cell]) for cell in differences)
            text += f"{'tiles' if len(differences) > 1 else 'a tile'} {tiles} appeared, not one tile 2 or 4"
        self._fault(APPEARS, size(before), text)
        return bool(not differences)

    def _fault_of_line(self, move: str, line: Line, right: Line, wrong: Line) -> None:
        """Record a line that did not slide by the rules."""
        flip = -1 if move in BACKWARDS else 1
        texts = [" ".join(map(str, cells[::flip])) for cells in (line, wrong, right)]
        what = "the column (from the top)" if move in UPRIGHT else "the row"
        tiles = [tile for tile in line if tile]
        is_triple = any(
            first == second == third for first, second, third in zip(tiles, tiles[1:], tiles[2:], strict=False)
        )
        check = TRIPLES if is_triple else SLIDES
        self._fault(check, size((line,)), "{}: {} {} became {}, not {}".format(move, what, *texts))

    def _illegal(self, move: str) -> None:
        """Make a move that changes nothing."""
        before = self.board
        where = self._of(move)
        began = time.monotonic()
        try:
            outcome = self.environment.step(move)
        except PluginError as error:
            text = f"{where}, which is illegal: {error}"
            if not self.environment.is_running:
                self._failed(ILLEGAL, size(before), text, began)
            elif self.illegal != RAISES:
                self._fault(ILLEGAL, size(before), text)
            return
        self.score += outcome.reward or 0
        seen = ""
        if outcome.board != before:
            tiles = [sum(tile > 0 for row in board for tile in row) for board in (before, outcome.board)]
            seen = "a tile appeared" if tiles[1] > tiles[0] else "the board changed"
        elif self.illegal == RAISES:
            seen = "it did not raise an exception (--illegal raises)"
        elif outcome.done and self.illegal == UNCHANGED:
            seen = "the game ended; --illegal ends tells that it is to"
        elif not outcome.done and self.illegal == ENDS:
            seen = "the game went on (--illegal ends)"
        elif outcome.reward and self.illegal == UNCHANGED:
            seen = f"it earned {value(outcome.reward)}, not 0"
        if seen:
            self._fault(ILLEGAL, size(before), f"{where}, which is illegal: {seen}")
        self._arrive(outcome.board)
        self.over = outcome.done or not self.legal

    def _end(self, outcome: StepOutcome) -> None:
        """Compare the end of the game with the rules."""
        is_valid = self._arrive(outcome.board)
        if is_valid and outcome.done == bool(self.legal):
            legal = next(iter(self.legal), "")
            said = f"the game is over though {legal} is legal" if legal else "the game goes on though no move is legal"
            self._fault(END, (bool(legal), *size(self.board)), f"{self.shown(self.board)}: {said}")
        self.over = outcome.done or not self.legal

    def _arrive(self, board: Rows) -> bool:
        """Continue from a board; return whether its tiles are possible powers of two. If not, no move is legal."""
        most = 2 << self.rules.side**2
        self.board = board
        is_valid = all(not tile or (2 <= tile <= most and tile & (tile - 1) == 0) for row in board for tile in row)
        self.legal = self.rules.legal(board) if is_valid else {}
        return is_valid

    def _of(self, move: str) -> str:
        return f"{move} on {self.shown(self.board)}"

    def _failed(self, check: str, example_size: tuple[object, ...], text: str, began: float) -> None:
        """Record an exception, which ends the game."""
        self.over = True
        self.failures += 1
        self.waited += time.monotonic() - began
        self._fault(check, example_size, text)

    def _fault(self, check: str, example_size: tuple[object, ...], text: str) -> None:
        known = self.faults.get(check)
        if known is None:
            self.faults[check] = Fault(example_size, text)
            return
        known.count += 1
        if example_size < known.size:
            known.size, known.text = example_size, text

    @staticmethod
    def shown(board: Rows) -> str:
        """Return a board in one line."""
        return " / ".join(" ".join(map(str, row)) for row in board)


def size(board: Rows) -> tuple[object, ...]:
    """Return the size of an example: the number of tiles, the largest tile, and all tiles."""
    tiles = [tile for row in board for tile in row if tile]
    return len(tiles), max(tiles, default=0), board
