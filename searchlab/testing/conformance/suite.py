"""The suite of checks whether an environment plays 2048 by the rules."""

from __future__ import annotations

import random
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from itertools import permutations, product
from math import inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from searchlab.board.board import Board
from searchlab.errors import PluginError, UsageError
from searchlab.errors.printed import PrintedByPlugins
from searchlab.games.exact_tables import exact_heuristic, kept_values
from searchlab.games.expectimax import Expectimax
from searchlab.games.look_ahead import LookAhead
from searchlab.games.play import play
from searchlab.model.formatting import counted
from searchlab.model.strategies import Heuristic, Player
from searchlab.plugins import lookup
from searchlab.plugins.lookup import DEFAULT_GAME
from searchlab.testing.clock import Clock, NoAnswer
from searchlab.testing.conformance import referee as checks
from searchlab.testing.conformance.environment import MOVES, SIZES, GameEnvironment, make, side_parameter
from searchlab.testing.conformance.referee import Referee
from searchlab.testing.conformance.rules import SlidingRules, back
from searchlab.testing.conformance.spawns import ALARM, MOST_TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from searchlab.binding.domain import BoundDomain
    from searchlab.plugins.registry import Plugins
    from searchlab.testing.conformance.environment import Rows

    Show = Callable[[str, float | None], None]

USUAL_MOVES = 1_000_000
"""The default number of moves to play, which is fixed so that equal seeds give equal checks."""
MOST_SECONDS = 60.0
"""The seconds that failing calls may take in all before no more moves are played."""
FEWEST_GAMES = 2_000
"""The fewest games for which the mean score is compared with the exact mean."""
LARGEST_EXACT = 3
"""The largest side of a board that is solved exactly."""
LONGEST_CALL = 60.0
"""The seconds after which a call of the environment counts as hanging; the first calls may compile something."""
LONGEST_GAME = 100_000
"""The moves after which a game of the player with the tested mean counts as endless."""
STANDARD_ERRORS = 3.0
ILLEGAL_SHARE = {checks.UNCHANGED: 1 / 16, checks.RAISES: 1 / 16, checks.ENDS: 1 / 256}
"""The probability that an illegal move is tried if there is one."""
MOST_ILLEGAL = 20_000
FIRST_BOARDS = 1_000
"""The fewest games that are begun for the test of the first tiles."""
SEEDS = 20
"""The number of seeds that are tested: games with the same seed must be equal."""
MOVES_OF_A_SEED = 60
FAILURES = 10
"""The games in a row without a move after which no more moves are played; likewise after `MOST_SECONDS`."""
FAILED = "the environment failed"
HANGING_SECONDS = 1.0
"""The seconds of failing calls after which seeds are not tested: a program that hangs would hang in each game."""
NOT_OF_THE_MEAN = (checks.ILLEGAL, checks.SET)
"""The checks that do not affect the mean. If any other check fails, the games for the mean are not played."""
HOLDS, FAULT, UNTESTED = "holds", "fault", "untested"
FALSE_ALARMS = MOST_TESTS * ALARM + 0.0027
"""The largest probability that an environment fails although it conforms, by the tests of tiles and of the mean."""


class Check(NamedTuple):
    """The outcome of a check.

    Attributes:
        name: the name of the check.
        verdict: `holds`, `fault` or `untested`.
        text: the extent of the test, the smallest example of a fault, or the reason why nothing was tested.
    """

    name: str
    verdict: str
    text: str


def conformance(
    factory: Callable[..., Any],
    *,
    domain: BoundDomain | None = None,
    actions: Sequence[str] = MOVES,
    cells: str = "",
    illegal: str = checks.UNCHANGED,
    moves: int = USUAL_MOVES,
    games: int = FEWEST_GAMES,
    seed: int = 1,
    show: Show = lambda text, share: None,
    plugins: Plugins | None = None,
) -> list[Check]:
    """Check an environment of 2048; return the outcome of each check.

    Args:
        factory: a function without arguments that returns an environment. If it has a parameter `n` or `size`, it is
            also called with the side of the board.
        domain: the game. Its side `n` is given to the factory unless it is the default; then the environment has its
            own side.
        actions: the moves of the actions 0 to 3.
        cells: `tiles` or `exponents`; by default `exponents` if a 1 or 3 occurs.
        illegal: the expected effect of an illegal move: `unchanged`, `ends` or `raises`.
        moves: the number of moves to play.
        games: the number of games for the test of the mean score.
        seed: the first seed of the games, and the seed of the moves.
        show: called with the progress in words, and with the share that is done, or None if unknown.
        plugins: the plugins that the game and the players are looked up in.

    Raises:
        UsageError: there is no such environment.
    """
    usual = lookup.domain(DEFAULT_GAME, plugins=plugins)
    game = usual if domain is None else domain
    if game.values["n"] != usual.values["n"]:
        factory = _of_size(factory, game.values["n"])
    clock = Clock(inf, LONGEST_CALL, sys.maxsize, thorough=True)

    def checked() -> Iterator[Check]:
        environment = GameEnvironment(make(factory, clock), clock, actions, cells)
        if game.values["n"] not in (usual.values["n"], environment.side):
            raise UsageError(f"the factory called with n={game.values['n']} made {environment.side} rows")
        referee = _referee(environment, game, illegal, seed)
        if environment.numbers_actions:
            check_actions(environment, referee.rules, actions, seed)
        _play_moves(referee, moves, seed, show)
        played = referee.moves
        set_lines = _set_lines(referee, seed, show)
        found = [*_rules(referee, None, played, set_lines), *_spawns(referee, game)]
        mean = Check("mean", UNTESTED, "a rule is broken" if not referee.failures else FAILED)
        if all(check.verdict != FAULT or check.name in NOT_OF_THE_MEAN for check in found):
            small, note = _small(factory, environment, game, illegal, actions, seed)
            mean = _mean(small or referee, games, seed, show, note, plugins)
            found = [*_rules(referee, small, played, set_lines), *_spawns(referee, game)]
        yield from found
        yield _seeds(factory, referee, actions, seed)
        yield mean

    try:
        with redirect_stdout(PrintedByPlugins()):
            return clock.run(lambda: list(checked()))
    except NoAnswer as error:
        return [Check(checks.ANSWERS, FAULT, f"a call of the environment hangs: {error}; nothing more was tested")]
    except PluginError as error:
        return [Check(checks.START, FAULT, str(error))]


def _of_size(factory: Callable[..., Any], side: int) -> Callable[..., Any]:
    """Return a factory of environments with this side."""
    name = side_parameter(factory)
    if not name:
        raise UsageError(f"the factory has no parameter {' or '.join(SIZES)} for {side} × {side} cells")
    return partial(factory, **{name: side})


def _referee(environment: GameEnvironment, game: BoundDomain, illegal: str, seed: int) -> Referee:
    domain = replace(game, values={**game.values, "n": environment.side})
    return Referee(environment, SlidingRules(domain, environment.side), illegal, seed, game.opening())


def check_actions(environment: GameEnvironment, rules: SlidingRules, actions: Sequence[str], seed: int) -> None:
    """Raise a UsageError if the moves of an environment agree with the rules only if its actions are permuted."""
    chance = random.Random(seed)
    orders = set(permutations(MOVES))
    for number in range(SEEDS):
        board: Rows | None = None
        for _ in range(MOVES_OF_A_SEED):
            action = chance.randrange(4)
            try:
                board = environment.reset(seed + number) if board is None else board
                outcome = environment.step(actions[action])
            except PluginError:  # reported when moves are played
                break
            if outcome.board != board:
                fits = {move for move in MOVES if _differences(rules.slid(board, move).board, outcome.board) <= 1}
                orders = {order for order in orders if order[action] in fits}
            board = outcome.board
            if outcome.done or not orders:
                break
    if tuple(actions) not in orders and len(orders) == 1:
        (order,) = orders
        raise UsageError(f"the actions 0 to 3 of the environment are {', '.join(order)}: --actions {','.join(order)}")


def _differences(one: Rows, other: Rows) -> int:
    return sum(a != b for row, beside in zip(one, other, strict=True) for a, b in zip(row, beside, strict=True))


def _play_moves(referee: Referee, moves: int, seed: int, show: Show) -> None:
    """Play games, in turn by random moves and by the moves that earn most, with illegal moves in between."""
    chance = random.Random(f"moves {seed}")  # unlike Random(seed), which an environment may use
    number = failures = 0
    while referee.moves < moves and failures < FAILURES and referee.waited < MOST_SECONDS:
        before = referee.moves
        referee.begin()
        while not referee.over and referee.moves < moves:
            legal = list(referee.legal)
            share = ILLEGAL_SHARE[referee.illegal] if referee.illegal_moves < MOST_ILLEGAL else 0
            if len(legal) < len(MOVES) and chance.random() < share:
                referee.move(chance.choice([move for move in MOVES if move not in legal]))
            else:
                referee.move(_chosen(referee, legal, number, chance))
        failures = failures + 1 if referee.moves - before <= 1 else 0
        number += 1
        if number % 10 == 0:
            show(f"{referee.moves:,} of {moves:,} moves played", referee.moves / moves)
    while number < FIRST_BOARDS and not referee.failures:
        referee.begin()
        number += 1


def _chosen(referee: Referee, legal: list[str], number: int, chance: random.Random) -> str:
    if number % 2 or chance.random() < 0.05:
        return chance.choice(legal)
    return max(legal, key=lambda move: referee.legal[move].points)


def _set_lines(referee: Referee, seed: int, show: Show) -> int:
    """Move all lines in all directions on boards that are set; return the number of lines."""
    if not referee.environment.can_set:
        return 0
    side = referee.rules.side
    tiles = [0, *(2**power for power in range(1, side * side))]
    lines = list(product(tiles, repeat=side))
    chance = random.Random(seed)
    chance.shuffle(lines)  # so that the other lines of a board differ from it
    lines += lines[: -len(lines) % side]
    referee.begin()
    for first in range(0, len(lines), side):
        group = lines[first : first + side]
        for move in MOVES:
            board = back(group, move)
            if referee.waited >= MOST_SECONDS or not referee.set(board):
                return 0
            if move in referee.legal:
                referee.move(move)
        if first % (64 * side) == 0:
            show(f"{first:,} of {len(lines):,} rows moved", first / len(lines))
    return int(len(tiles) ** side)


def _small(
    factory: Callable[..., Any],
    environment: GameEnvironment,
    game: BoundDomain,
    illegal: str,
    actions: Sequence[str],
    seed: int,
) -> tuple[Referee | None, str]:
    """Return a referee of the environment on 3 × 3 cells, or None and the reason why there is none."""
    if environment.side <= LARGEST_EXACT:
        return None, ""
    name = side_parameter(factory)
    if not name:
        return None, "the exact test was not possible: the factory has no parameter n for 3 × 3 cells"
    try:
        made = make(factory, environment.clock, **{name: LARGEST_EXACT})
        small = GameEnvironment(made, environment.clock, actions, environment.cells)
    except (PluginError, UsageError) as error:
        return None, f"the exact test was not possible: with {name}={LARGEST_EXACT} {error}"
    if small.side != LARGEST_EXACT:
        return None, f"the exact test was not possible: with {name}={LARGEST_EXACT} it has {small.side} rows"
    return _referee(small, game, illegal, seed), ""


def _mean(referee: Referee, games: int, seed: int, show: Show, note: str, plugins: Plugins | None) -> Check:
    """Compare the mean score of a player in the environment with the mean by the rules."""
    side, domain = referee.rules.side, referee.rules.domain
    is_exact = side <= LARGEST_EXACT
    player = _best_play(domain) if is_exact else _most_empty(domain)
    name = f"mean of {player.name}"
    scores, why = _scores(referee, player, games, show)
    if why:
        return Check(name, UNTESTED, why)
    if not is_exact:
        show(f"{games:,} games of {player.name} by the rules", None)
        own = np.array([play(domain=domain, player=player, seed=seed + k, plugins=plugins).score for k in range(games)])
    mean, error = float(scores.mean()), float(scores.std(ddof=1) / sqrt(games))
    if is_exact:
        right, what = kept_values(domain).start, "exactly"
    else:
        right, what = float(own.mean()), f"in as many by the rules; {note}"
        error = sqrt(error**2 + float(own.var(ddof=1)) / games)
    away = abs(mean - right) / error if error else (0.0 if mean == right else float("inf"))
    text = (
        f"{player.name} on {side} × {side}: {mean:,.2f} in {counted(games, 'game')}, {right:,.2f} {what}; "
        f"{away:.1f} standard errors apart"
    )
    return Check(name, HOLDS if away <= STANDARD_ERRORS else FAULT, text)


def _best_play(domain: BoundDomain) -> Player:
    """Return the player with the best average; one ply is enough, because no move of 2048 ends the game."""
    return _one_ply("best-play", exact_heuristic(), domain)


def _most_empty(domain: BoundDomain) -> Player:
    """Return a player with short games, for boards that are not solved exactly."""
    return _one_ply("most-empty", Heuristic("empty-cells", lambda tiles: (tiles == 0).sum(), prefer="high"), domain)


def _one_ply(name: str, heuristic: Heuristic, domain: BoundDomain) -> Player:
    ahead = Expectimax(LookAhead(domain, lookup.heuristic(heuristic, domain=domain)), depth=0)
    return Player(name, looks_ahead=lambda: ahead)


def _scores(
    referee: Referee, player: Player, games: int, show: Show
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], str]:
    """Let a player play games; return the scores, and the reason if some games are missing."""
    if referee.failures:
        return np.array([]), FAILED
    show(f"{player.name} is prepared", None)
    domain = referee.rules.domain
    bound = lookup.player(player, domain=domain)
    bound.prepare(domain.start())
    ahead = bound.looks_ahead(domain.start())
    assert isinstance(ahead, Expectimax)
    scores: list[float] = []
    for number in range(games):
        referee.begin()
        before = referee.moves
        while not referee.over and referee.moves - before <= LONGEST_GAME:
            referee.move(ahead.best(Board(referee.board)))
        if referee.failures:
            return np.array(scores), FAILED
        if not referee.over:
            return np.array(scores), f"a game had no end within {LONGEST_GAME:,} moves"
        scores.append(referee.score)
        if number % 20 == 0:
            show(f"{number:,} of {games:,} games of {player.name}", number / games)
    return np.array(scores), ""


def _rules(referee: Referee, small: Referee | None, played: int, set_lines: int) -> Iterator[Check]:
    """Yield the checks of single moves."""
    occurred = f"{len(referee.lines):,} rows in {played:,} moves"
    if set_lines:
        occurred = f"{set_lines:,} rows × 4 moves by set, and {played:,} moves"
    texts = {
        checks.START: f"{referee.opening} tiles",
        checks.SET: "",
        checks.SLIDES: occurred,
        checks.TRIPLES: "three or four equal tiles in a row",
        checks.SCORE: "each merge earns the tile that it makes",
        checks.APPEARS: "one tile 2 or 4 after each legal move",
        checks.ILLEGAL: f"{referee.illegal_moves:,} illegal moves ({referee.illegal})",
        checks.END: "over exactly if no move is legal",
    }
    for name, text in texts.items():
        found = next((other for other in (referee, small) if other is not None and name in other.faults), None)
        if found is not None:
            fault = found.faults[name]
            yield Check(name, FAULT, f"{fault.text} ({counted(fault.count, 'time')})")
        elif name == checks.SET:
            continue
        elif name == checks.ILLEGAL and not referee.illegal_moves:
            yield Check(name, UNTESTED, "no illegal move was tried")
        elif name == checks.SCORE and not referee.has_points:
            yield Check(name, UNTESTED, "the environment has no points")
        else:
            yield Check(name, HOLDS, text)


def _spawns(referee: Referee, game: BoundDomain) -> Iterator[Check]:
    """Yield the checks of the tiles that appeared."""
    p2 = float(game.values["p2"])
    for test in (*referee.first.tests(p2), *referee.spawns.tests(referee.rules.side, p2)):
        verdict = UNTESTED if test.p is None else FAULT if test.failed else HOLDS
        yield Check(test.what, verdict, test.text if verdict != HOLDS else f"{test.sample:,} tiles, p = {test.p:.2g}")


def _seeds(factory: Callable[..., Any], referee: Referee, actions: Sequence[str], seed: int) -> Check:
    """Check that equal seeds and equal moves give equal games, in this environment and in another one."""
    name, environment = "seeds", referee.environment
    if referee.waited > HANGING_SECONDS:
        return Check(name, UNTESTED, FAILED)
    if not environment.takes_seed:
        return Check(name, FAULT, "reset has no parameter for a seed, so no game can be played again")
    try:
        other = GameEnvironment(make(factory, environment.clock), environment.clock, actions, environment.cells)
    except (PluginError, UsageError) as error:
        return Check(name, FAULT, f"a second environment of the factory: {error}")
    first: list[tuple[Rows, ...]] = []
    for number in range(seed, seed + SEEDS):
        one, again = _course(environment, number), _course(environment, number)
        for course, where in ((again, "the second time"), (_course(other, number), "in another environment")):
            if course != one:
                return Check(name, FAULT, f"reset({number}) and the same moves gave another game {where}")
        first.append(one)
    if len(set(first)) == 1:
        return Check(name, FAULT, f"the seeds {seed} to {seed + SEEDS - 1} gave the same game")
    return Check(name, HOLDS, f"{SEEDS} seeds, each three times")


def _course(environment: GameEnvironment, seed: int) -> tuple[Rows, ...]:
    """Return the first boards of a game with moves that depend only on the seed."""
    chance = random.Random(seed)
    boards = [environment.reset(seed)]
    for _ in range(MOVES_OF_A_SEED):
        try:
            outcome = environment.step(chance.choice(MOVES))
        except PluginError:
            continue
        boards.append(outcome.board)
        if outcome.done:
            break
    return tuple(boards)
