"""Environments: a common interface to games of other programs with `reset` and `step`."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.errors import PluginCode, PluginError, SearchlabError, UsageError, shown, with_type
from searchlab.games.program_environment import ProgramEnvironment
from searchlab.games.program_player import ProgramPlayer
from searchlab.plugins import lookup
from searchlab.plugins.loading import contained, load_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from searchlab.binding.domain import BoundDomain
    from searchlab.plugins.registry import Plugins
    from searchlab.testing.clock import Clock

    Rows = tuple[tuple[int, ...], ...]

MOVES = ("up", "right", "down", "left")
"""The moves of the actions 0 to 3."""
TILES, EXPONENTS = "tiles", "exponents"
SIZES = ("n", "size")
"""The parameters of a factory that may set the side of the board."""
FORMS = "reset(seed) returns the board as rows, step(action) returns (board, reward, done, info)"
GIVEN_AS = "an environment is given as MODULE:FACTORY, such as env.py:Game, or as program:command=[./game]"
MOST_ROWS = 7
LARGEST_EXPONENT = 62
SAMPLED_GAMES = 20
"""The number of starts that decide whether cells are exponents: 99 of 100 such starts contain a 1."""


class StepOutcome(NamedTuple):
    """The outcome of an action in an environment.

    Attributes:
        board: the rows of tiles.
        reward: the reward, or None if the environment has no points.
        done: whether the game is over.
    """

    board: Rows
    reward: float | None
    done: bool


class GameEnvironment:
    """A game of another program.

    Args:
        made: an object with `reset` and `step`, and optionally `set`; see `docs/conformance.md`.
        clock: the clock that times calls.
        actions: the moves of the actions 0 to 3.
        cells: `tiles` or `exponents`; by default `exponents` if a 1 or 3 occurs in some starts.

    Attributes:
        clock: the clock that times calls.
        cells: `tiles` or `exponents`.
        side: the number of rows.
        takes_seed: whether the environment can be seeded.
        numbers_actions: whether moves are numbered actions instead of names.

    Raises:
        UsageError: the object is not an environment with a square board.
    """

    def __init__(self, made: Any, clock: Clock, actions: Sequence[str] = MOVES, cells: str = "") -> None:
        if not hasattr(made, "reset") and hasattr(made, "init"):
            made = StatelessGame(made)
        for name in ("reset", "step"):
            if not callable(getattr(made, name, None)):
                raise UsageError(f"the environment has no method {name}: {FORMS}")
        self.clock = clock
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
        """Whether the game continues after an exception; False if a program keeps the game and has ended."""
        return not isinstance(self._made, ProgramEnvironment) or self._made.is_running

    def _calling(self) -> AbstractContextManager[None]:
        """Return a context that times a call; programs have their own time limits."""
        return self.clock.calling() if self.numbers_actions else nullcontext()

    @property
    def can_set(self) -> bool:
        """Whether a board can be set, as far as is known."""
        return self._set is not None

    def reset(self, seed: int) -> Rows:
        """Begin a game; return its first board.

        Raises:
            PluginError: the environment failed.
            UsageError: the environment did not return a board.
        """
        with self._calling(), PluginCode(lambda error: PluginError(f"reset({seed}) raised {with_type(error)}")):
            returned = self._reset(seed)
            if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], dict):
                returned = returned[0]
            rows = self._rows(returned)
        if rows is None:
            raise UsageError(
                f"reset({seed}) returned {shown(returned)}, which is no square board of whole numbers: {FORMS}"
            )
        return rows

    def step(self, move: str) -> StepOutcome:
        """Make a move; return the outcome.

        Raises:
            PluginError: the environment failed, or did not return a board, a reward and an end.
            UsageError: the environment did not return a tuple of 4 or 5 values.
        """
        action = self._action[move]
        with self._calling(), PluginCode(lambda error: PluginError(with_type(error))):
            returned = self._step(action)
        if not isinstance(returned, (tuple, list)) or len(returned) not in (4, 5):
            raise UsageError(f"step({action}) returned {shown(returned)}, not a tuple of 4 or 5: {FORMS}")
        board, reward, *ends = returned
        with PluginCode(lambda error: PluginError(f"step({action}) returned {shown(board)}: {with_type(error)}")):
            rows = self._rows(board)
        if rows is None or len(rows) != self.side:
            size = f"{self.side} × {self.side}"
            raise PluginError(f"step({action}) returned {shown(board)}, which is no {size} board of whole numbers")
        with PluginCode(lambda error: PluginError(f"step({action}) returned the reward {shown(reward)}, no number")):
            points = None if reward is None else float(np.asarray(reward).item())
        with PluginCode(
            lambda error: PluginError(f"step({action}) returned {shown(ends[:-1])} for the end of the game")
        ):
            return StepOutcome(rows, points, any(map(bool, ends[:-1])))

    def set(self, board: Rows) -> bool:
        """Set the board of the environment; return False if it does not support this.

        Raises:
            PluginError: the environment failed.
        """
        if self._set is None:
            return False
        given = [[tile.bit_length() - 1 if tile else 0 for tile in row] for row in board]
        with self._calling(), PluginCode(lambda error: PluginError(with_type(error))):
            try:
                self._set(given if self.cells == EXPONENTS else [list(row) for row in board])
            except NotImplementedError:
                self._set = None
        return self._set is not None

    def _rows(self, board: Any) -> Rows | None:
        """Return the rows of tiles, or None for a value that is not a square board of whole numbers from 0 up."""
        try:
            cells = np.asarray(board)
        except ValueError:  # rows of different lengths
            return None
        if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or len(cells) < 2 or cells.dtype.kind not in "iuf":
            return None
        rows = cells.tolist()
        if cells.dtype.kind == "f":
            rows = [[int(cell) if cell.is_integer() else -1 for cell in row] for row in rows]
        most = LARGEST_EXPONENT if self.cells == EXPONENTS else 1 << LARGEST_EXPONENT
        if not all(0 <= cell <= most for row in rows for cell in row):
            return None
        if self.cells == EXPONENTS:
            rows = [[1 << cell if cell else 0 for cell in row] for row in rows]
        return tuple(map(tuple, rows))


class StatelessGame:
    """Adapt an environment like those of pgx, with `init(key)` and `step(state, action, key)`, to `reset` and `step`.

    The board is the observation: rows of exponents, or a layer of truth values for each exponent.
    """

    def __init__(self, made: Any) -> None:
        try:
            jax: Any = importlib.import_module("jax")
        except ImportError:
            raise UsageError(
                "an environment with init in place of reset needs jax: python -m pip install jax"
            ) from None
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
    seed, parameter = parameters.get("seed"), inspect.Parameter
    kinds = {taken.kind for taken in parameters.values()}
    if (seed is not None and seed.kind is not seed.POSITIONAL_ONLY) or (kinds == {parameter.VAR_KEYWORD}):
        return (lambda seed: reset(seed=seed)), True
    if kinds & {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD, parameter.VAR_POSITIONAL}:
        return reset, True
    seeds = getattr(made, "seed", None)
    if callable(seeds):

        def reset_with(seed: int) -> Any:
            seeds(seed)
            return reset()

        return reset_with, True
    return (lambda seed: reset()), False


def program_factory(name: str, domain: BoundDomain, plugins: Plugins | None = None) -> Callable[..., Any] | None:
    """Return the factory of an environment that a program keeps, or None if the name has no parameters.

    Args:
        name: the name of a player that is a program: `program:command=[./game --fast],seconds=2`.
        domain: the game.

    Raises:
        UsageError: there is no such player or program, or a parameter is invalid.
    """
    if "=" not in name.partition(":")[2]:
        return None
    player = lookup.player(name, domain=domain, plugins=plugins)
    kept = player.lend(domain.start()) if player.component.keeps else None
    if not isinstance(kept, ProgramPlayer):
        raise UsageError(f"the player {player.name} is no program; {GIVEN_AS}")

    def program(n: int = domain.values["n"]) -> ProgramEnvironment:
        game = replace(domain, values={**domain.values, "n": n})
        return ProgramEnvironment(kept.command, game, MOVES, kept.seconds, kept.start)

    return program


def load_factory(name: str) -> Callable[..., Any]:
    """Return the factory `MODULE:FACTORY`; MODULE is a file, or a module that Python finds, also in this folder.

    Raises:
        UsageError: there is no such factory.
    """
    module_name, colon, factory_name = name.rpartition(":")
    if not colon or not module_name or not factory_name:
        raise UsageError(f"{GIVEN_AS}, not as {shown(name)}")
    is_file = module_name.endswith(".py")
    folder = str(Path(module_name).absolute().parent) if is_file else os.getcwd()
    if folder not in sys.path:
        sys.path.append(folder)  # and not removed, because functions may import modules when they are called
    try:
        with contained(prefix="" if is_file else f"{module_name}: "):
            module = load_file(Path(module_name).absolute()).module if is_file else importlib.import_module(module_name)
    except UsageError as error:
        raise UsageError(f"{module_name}: {error}" if is_file else str(error)) from error.__cause__
    factory = getattr(module, factory_name, None)
    if factory is None:
        raise UsageError(f"{module_name} has no function or class {factory_name}")
    if not callable(factory):
        raise UsageError(f"{factory_name} in {module_name} is {shown(factory)}, no function or class")
    return factory  # type: ignore[no-any-return]


def side_parameter(factory: Callable[..., Any]) -> str:
    """Return the parameter of a factory that sets the side of the board, or `""` if it has none."""
    try:
        parameters = inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return ""
    return next((name for name in SIZES if name in parameters), "")


def make(factory: Callable[..., Any], clock: Clock, **arguments: int) -> Any:
    """Call a factory and return the environment.

    Args:
        factory: the factory.
        clock: the clock that times the call.
        arguments: the side of the board, by the name of its parameter.

    Raises:
        UsageError: the factory failed.
        PluginError: a program failed.
    """
    given = ", ".join(f"{name}={value}" for name, value in arguments.items())
    failed = f"the factory called with ({given}) raised"
    with clock.calling(), PluginCode(lambda error: UsageError(f"{failed} {with_type(error)}"), (SearchlabError,)):
        return factory(**arguments)
