"""Environments: games of other programs with `reset` and `step`, in one form."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.errors import PluginCode, PluginError, SearchlabError, UsageError, shown, with_type
from searchlab.games.program_environment import ProgramEnvironment
from searchlab.plugins import lookup
from searchlab.plugins.loading import contained, load_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.plugins.registry import Plugins

    Rows = tuple[tuple[int, ...], ...]

MOVES = ("up", "right", "down", "left")
"""The moves of the actions 0 to 3."""
TILES, EXPONENTS = "tiles", "exponents"
PROGRAM = "program"
"""The player whose name and parameters environments of other programs have, too."""
SIZES = ("n", "size")
"""The parameters of a factory that may set the side of the board."""
FORMS = "reset(seed) returns the board as rows, step(action) returns (board, reward, done, info)"
MOST_ROWS = 7
SAMPLED_GAMES = 20
"""The starts that decide whether cells are exponents: each has a 1 in 99 of 100."""


class StepOutcome(NamedTuple):
    """What an environment returned for an action.

    Attributes:
        board: the rows of tiles.
        reward: the reward.
        done: whether the game is over.
    """

    board: Rows
    reward: float
    done: bool


class GameEnvironment:
    """A game of another program.

    Args:
        made: an object with `reset` and `step`, and optionally `set`; see `docs/conformance.md`.
        actions: the moves of the actions 0 to 3.
        cells: `tiles` or `exponents`; by default `exponents` if a 1 or 3 occurs in some starts.

    Attributes:
        cells: `tiles` or `exponents`.
        side: the number of rows.
        takes_seed: whether it can be seeded.
        numbers_actions: whether moves are numbered actions, not names.

    Raises:
        UsageError: it is no environment of a square board.
    """

    def __init__(self, made: Any, actions: Sequence[str] = MOVES, cells: str = "") -> None:
        if not hasattr(made, "reset") and hasattr(made, "init"):
            made = StatelessGame(made)
        for name in ("reset", "step"):
            if not callable(getattr(made, name, None)):
                raise UsageError(f"the environment has no method {name}: {FORMS}")
        self._made, self.numbers_actions = made, not isinstance(made, ProgramEnvironment)
        self._step = made.step
        self._reset, self.takes_seed = _seeded(made)
        self._action = {move: number for number, move in enumerate(actions)}
        setter = getattr(made, "set", None) or getattr(getattr(made, "unwrapped", None), "set", None)
        self._set: Callable[[Any], Any] | None = setter if callable(setter) else None
        self.cells = cells or TILES
        starts = [self.reset(seed) for seed in range(SAMPLED_GAMES)]
        if not cells and any(cell in (1, 3) for start in starts for row in start for cell in row):
            self.cells = EXPONENTS
        self.side = len(starts[0])
        if self.side > MOST_ROWS:
            raise UsageError(f"boards of up to {MOST_ROWS} rows are tested, and this one has {self.side}")

    @property
    def is_running(self) -> bool:
        """Whether the game goes on after an exception; False if a program keeps it and has ended."""
        return not isinstance(self._made, ProgramEnvironment) or self._made.is_running

    def reset(self, seed: int) -> Rows:
        """Begin a game; return its first board.

        Raises:
            PluginError: it failed.
            UsageError: it did not return a board.
        """
        with PluginCode(lambda error: PluginError(f"reset({seed}) raised {with_type(error)}")):
            returned = self._reset(seed)
            if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], dict):
                returned = returned[0]
            rows = self._rows(returned)
        if rows is None:
            raise UsageError(f"reset({seed}) returned {shown(returned)}, which is no square board of numbers: {FORMS}")
        return rows

    def step(self, move: str) -> StepOutcome:
        """Make a move; return what follows.

        Raises:
            PluginError: it failed.
            UsageError: it did not return what a step returns.
        """
        action = self._action[move]
        with PluginCode(lambda error: PluginError(with_type(error))):
            returned = self._step(action)
        if not isinstance(returned, tuple) or len(returned) not in (4, 5):
            raise UsageError(f"step({action}) returned {shown(returned)}, not a tuple of 4 or 5: {FORMS}")
        board, reward, *ends = returned
        with PluginCode(lambda error: PluginError(f"what step({action}) returned raised {with_type(error)}")):
            rows = self._rows(board)
            outcome = None if rows is None else StepOutcome(rows, float(reward), any(map(bool, ends[:-1])))
        if outcome is None:
            raise UsageError(f"step({action}) returned {shown(board)}, which is no square board of numbers: {FORMS}")
        if len(outcome.board) != self.side:
            raise UsageError(f"step({action}) returned {len(outcome.board)} rows, and reset {self.side}")
        return outcome

    def set(self, board: Rows) -> bool:
        """Put the environment on a board; return False if it cannot do that.

        Raises:
            PluginError: it failed.
        """
        if self._set is None:
            return False
        given = [[tile.bit_length() - 1 if tile else 0 for tile in row] for row in board]
        with PluginCode(lambda error: PluginError(with_type(error))):
            try:
                self._set(given if self.cells == EXPONENTS else [list(row) for row in board])
            except NotImplementedError:
                self._set = None
        return self._set is not None

    def _rows(self, board: Any) -> Rows | None:
        """Return the rows of tiles, None for what is no square board of whole numbers."""
        cells = np.asarray(board)
        if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or len(cells) < 2 or cells.dtype.kind not in "iuf":
            return None
        rows = cells.tolist()
        if cells.dtype.kind == "f":
            rows = [[int(cell) if cell.is_integer() else -1 for cell in row] for row in rows]
        if self.cells == EXPONENTS:
            rows = [[1 << cell if 0 < cell < 63 else cell and -1 for cell in row] for row in rows]
        return tuple(map(tuple, rows))


class StatelessGame:
    """An environment of pgx's form, with `init(key)` and `step(state, action, key)`, as one with `reset` and `step`.

    The board is the observation: exponents, as rows or as layers of yes and no, one for each exponent.
    """

    def __init__(self, made: Any) -> None:
        jax: Any = importlib.import_module("jax")
        self._random = jax.random
        self._init, self._advance = jax.jit(made.init), jax.jit(made.step)

    def reset(self, seed: int) -> Any:
        """Begin a game; return its first board."""
        self._key, first = self._random.split(self._random.PRNGKey(seed))
        self._state = self._init(first)
        return self._board()

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        """Make a move."""
        self._key, next_key = self._random.split(self._key)
        self._state = self._advance(self._state, action, next_key)
        done = bool(self._state.terminated) or bool(self._state.truncated)
        return self._board(), float(np.ravel(self._state.rewards)[0]), done, {}

    def _board(self) -> Any:
        observation = np.asarray(self._state.observation)
        return observation.argmax(axis=2) if observation.ndim == 3 else observation


def _seeded(made: Any) -> tuple[Callable[[int], Any], bool]:
    """Return a function that resets with a seed, and whether the seed is used."""
    reset = made.reset
    try:
        parameters = inspect.signature(reset).parameters
    except (TypeError, ValueError):
        return reset, True
    seed = parameters.get("seed")
    kinds = {parameter.kind for parameter in parameters.values()}
    if (seed is not None and seed.kind is not seed.POSITIONAL_ONLY) or (
        not parameters.keys() - {"kwargs"} and inspect.Parameter.VAR_KEYWORD in kinds
    ):
        return (lambda seed: reset(seed=seed)), True
    if kinds & {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}:
        return reset, True
    seeds = getattr(made, "seed", None)
    if callable(seeds):

        def reset_with(seed: int) -> Any:
            seeds(seed)
            return reset()

        return reset_with, True
    return (lambda seed: reset()), False


def program_factory(name: str, domain: BoundDomain, plugins: Plugins | None = None) -> Callable[..., Any] | None:
    """Return the factory of an environment that a program keeps, None if this is no name of a program.

    Args:
        name: as the player of this name: `program:command=[./game --fast],seconds=2`.
        domain: the game.

    Raises:
        UsageError: there is no such program, or a parameter is wrong.
    """
    kind, _, given = name.partition(":")
    if kind.rpartition("/")[2] != PROGRAM or "=" not in given:
        return None
    values = lookup.player(name, domain=domain, plugins=plugins).values

    def program(n: int = domain.values["n"]) -> ProgramEnvironment:
        game = replace(domain, values={**domain.values, "n": n})
        return ProgramEnvironment(values["command"], game, MOVES, values["seconds"], values["start"])

    return program


def load_factory(name: str) -> Callable[..., Any]:
    """Return the factory `MODULE:FACTORY`, where MODULE is a file or a module that Python finds, also in this folder.

    Raises:
        UsageError: there is none.
    """
    module_name, colon, factory_name = name.rpartition(":")
    if not colon or not module_name or not factory_name:
        forms = "MODULE:FACTORY, such as env.py:Game, or as program:command=[./game]"
        raise UsageError(f"an environment is given as {forms}, not as {shown(name)}")
    is_file = module_name.endswith(".py")
    folder = str(Path(module_name).absolute().parent) if is_file else os.getcwd()
    if folder not in sys.path:
        sys.path.append(folder)  # for good: functions may import when they are called
    try:
        with contained(prefix="" if is_file else f"{module_name}: "):
            module = load_file(Path(module_name).absolute()).module if is_file else importlib.import_module(module_name)
    except UsageError as error:
        raise UsageError(f"{module_name}: {error}" if is_file else str(error)) from error.__cause__
    factory = getattr(module, factory_name, None)
    if not callable(factory):
        raise UsageError(f"{module_name} has no function or class {factory_name}")
    return factory  # type: ignore[no-any-return]


def side_parameter(factory: Callable[..., Any]) -> str:
    """Return the parameter of a factory that sets the side of the board, `""` if it has none."""
    try:
        parameters = inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return ""
    return next((name for name in SIZES if name in parameters), "")


def make(factory: Callable[..., Any], **arguments: int) -> Any:
    """Return what a factory makes.

    Raises:
        UsageError: it failed.
        PluginError: a program failed.
    """
    given = ", ".join(f"{name}={value}" for name, value in arguments.items())
    failed = f"the factory called with ({given}) raised"
    with PluginCode(lambda error: UsageError(f"{failed} {with_type(error)}"), (SearchlabError,)):
        return factory(**arguments)
