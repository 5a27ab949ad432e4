"""The properties of a domain: its rules, its declarations, its chance, and its packed form."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from searchlab.board.board import Board
from searchlab.compiler.compile_errors import obstacle
from searchlab.compiler.functions import CannotCompile
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode, PluginError, SearchlabError, in_one_line, message_of
from searchlab.files import reason_of
from searchlab.games.game import GameState, random_source
from searchlab.games.learning.compiled import CompiledLearner
from searchlab.games.learning.network import NTupleNetwork
from searchlab.games.learning.td import learned_games
from searchlab.model.formatting import counted
from searchlab.model.games import Turn
from searchlab.model.instance import Instance
from searchlab.model.limits import Limits
from searchlab.model.randomness import Randomness, words_of
from searchlab.search.compiled.chances import CompiledChances
from searchlab.search.descent import is_legal
from searchlab.search.readable.enumeration import NEWEST_REVISITED, REVISITED_BY
from searchlab.search.searcher import Searcher
from searchlab.testing.evidence import DomainEvidence, DomainSurvey, difference_of_engines, on_board
from searchlab.testing.packed_moves import packed_moves
from searchlab.testing.properties.views import wrong_picture, wrong_texts
from searchlab.testing.report import Finding, Property, failed, info, passed, skipped
from searchlab.testing.samples import SEED, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from searchlab.binding.chance import Event
    from searchlab.binding.domain import BoundDomain
    from searchlab.model.games import LearnedGame
    from searchlab.search.state_space import StateSpace
    from searchlab.testing.packed_moves import PackedMoves
    from searchlab.testing.samples import Sample

    _Image = Callable[[Board], Board]
    _Move = tuple[Board, float, bool, float]
    _Following = tuple[Board, float, bool, float] | tuple[Board, float]

REPLAYED = 20
MET = 1500
"""The number of states of a large space among which repeated states are looked for."""
ASKED = 300
"""The number of boards for each question about chance."""
DRAWN = 50
"""The number of boards of each sample that are drawn."""
MOST_STEPS = 1000
"""The steps to ever smaller boards after which no smaller board may be left."""
DRAWS = 20
"""The number of draws from a board that are checked individually."""
COUNTED = 4000
"""The number of draws from a board of each sample that are counted."""
FAR = 6.0
"""The deviation of a count from its expectation that is a fault, in standard deviations and in events."""
SEEDS = range(5)
GAMES, MOVES = 5, 3000
"""The number of games that are compared, and the number of moves within which they must end."""
MOST_BITS = 12
RATE = 0.5
EXPANSIONS = 1000


def successors(evidence: DomainEvidence) -> Finding:
    """Ask for the successors of each board twice, and check them."""
    moves = sum(survey.moves for survey in evidence.surveys)
    said = f"{moves:,} moves of {evidence.share} are the same when asked twice, and lead to legal boards"
    return evidence.fault("successors") or passed(said, moves=moves, boards=evidence.looked, of=evidence.states)


def actions_replay(evidence: DomainEvidence) -> Finding:
    """Look for two moves with the same name, and repeat walks using only the names of their moves."""
    fault = evidence.fault("actions-replay")
    if fault:
        return fault
    generator = np.random.default_rng(SEED)
    replayed = 0
    for sample, _ in evidence.walked:
        for _ in range(REPLAYED):
            with evidence.clock.calling():
                path = list(walk(sample, generator))
            board = sample.board
            for edge, _, reached in path:
                following = {e.action: e.board for e in evidence.edges(sample.domain, board)}
                if following.get(edge.action) != edge.board:
                    return failed(f"the move {edge.action} does not lead where it led", on_board(sample.domain, board))
                board = reached
            replayed += len(path)
    said = f"the moves of {evidence.share} have different names, and {replayed:,} can be followed again by them"
    component = evidence.domain.component
    if component.successors is None and component.action is None:
        said += "; they are called move-1, move-2 …: action= of the domain names them"
    return passed(said, moves=replayed)


def goal_test(evidence: DomainEvidence) -> Finding:
    """Ask of each board twice whether it is a goal."""
    goals = sum(survey.goals for survey in evidence.surveys)
    fault = evidence.fault("goal-test")
    if fault:
        return fault
    if not goals:
        return info("no board that was met is a goal: the test is not seen at work", goals=0)
    said = f"{goals:,} of the boards {'is a goal' if goals == 1 else 'are goals'}, each time ({evidence.share})"
    return passed(said, goals=goals)


def symmetric(evidence: DomainEvidence) -> Finding:
    """Compare the moves, points and chances of turned and mirrored boards with those of the original board."""
    moves = events = 0
    goes_on = evidence.clock.until(1 / 10)
    for sample, boards in evidence.walked:
        domain = sample.domain
        for board in boards[:ASKED]:
            ahead = _moves_on(evidence, domain, board)
            after = {to: _events_on(evidence, domain, to) for to, _, terminal, _ in ahead if not terminal}
            for name, image in _images(board.shape):
                turned = image(board)
                wrong = _wrong_image(evidence, domain, board, ahead, name, image)
                if wrong:
                    return failed(wrong, on_board(domain, board), (f"{name}:", turned))
                for to, expected in after.items():
                    if not _are_alike(expected, _events_on(evidence, domain, image(to)), image):
                        wrong = f"after a move to a board that is {name}, chance does something else"
                        return failed(wrong, on_board(domain, to), (f"{name}:", image(to)))
            moves, events = moves + len(ahead), events + sum(map(len, after.values()))
            if not goes_on():
                break
    said = f"{moves:,} moves and {events:,} events have their like on boards that are turned or mirrored"
    return passed(said, moves=moves, events=events)


def _wrong_image(
    evidence: DomainEvidence, domain: BoundDomain, board: Board, ahead: list[_Move], name: str, image: _Image
) -> str:
    """Return an error message for a board that is turned or mirrored, or `""`."""
    turned = image(board)
    invalid = domain.why_invalid(turned)
    if invalid:
        return f"a board that is {name} is illegal: {invalid}"
    if domain.is_goal(turned) != domain.is_goal(board):
        return f"of a board and the same board {name} only one is a goal"
    if not _are_alike(ahead, _moves_on(evidence, domain, turned), image):
        return f"a board that is {name} has other moves, or they cost or earn something else"
    return ""


def _are_alike(listed: Sequence[_Following], of_image: Sequence[_Following], image: _Image) -> bool:
    """Return whether two lists of moves are equal, in any order, after turning or mirroring the boards."""
    return Counter((image(to), *rest) for to, *rest in listed) == Counter(of_image)


def _images(shape: tuple[int, int]) -> list[tuple[str, _Image]]:
    """Return turns and reflections of a board of this shape that generate all turns and reflections."""
    ways: tuple[tuple[str, Callable[[NDArray[np.int64]], NDArray[np.int64]]], ...]
    ways = (("upside down", np.flipud), ("mirrored", np.fliplr), ("mirrored at its diagonal", np.transpose))
    return [(name, partial(_image, way)) for name, way in ways[: 3 if shape[0] == shape[1] else 2]]


def _image(way: Callable[[NDArray[np.int64]], NDArray[np.int64]], board: Board) -> Board:
    return Board(np.ascontiguousarray(way(board.tiles)))


def _moves_on(evidence: DomainEvidence, domain: BoundDomain, board: Board) -> list[_Move]:
    """Return the moves from a board: the board after each move, the cost, whether it ends the game, and the points."""
    with evidence.clock.calling(lambda: board):
        return [
            (edge.board, edge.cost, edge.terminal, domain.points(board, edge.board)) for edge in domain.edges(board)
        ]


def _events_on(evidence: DomainEvidence, domain: BoundDomain, board: Board) -> list[tuple[Board, float]]:
    """Return the random outcomes of a board after a move, and their probabilities."""
    with evidence.clock.calling(lambda: board):
        # Sums in another order may differ in the last bits.
        return [(event.board, float(f"{event.probability:.12g}")) for event in domain.chance(board)]


def smaller(evidence: DomainEvidence) -> Finding:
    """Follow random smaller boards, step by step, until no legal board is smaller; no board may occur twice."""
    random, asked, steps = Random(SEED), 0, 0
    goes_on = evidence.clock.until(1 / 10)
    for sample, boards in evidence.walked:
        domain = sample.domain
        for board in boards[:DRAWN]:
            latest, met = Instance("", board, domain.instance.static if domain.instance else {}), set[object]()
            asked += 1
            while True:
                met.add((latest.start, latest.digest))
                on = domain.of(latest)
                legal = [each for each in on.smaller(latest.start) if is_legal(domain, each)]
                again = [each for each in legal if (each.start, each.digest) in met]
                if again:
                    return failed("a step smaller, or several, lead back to the same board", on_board(on, latest.start))
                if len(met) > MOST_STEPS:
                    return failed(f"after {MOST_STEPS:,} steps there are still smaller boards", on_board(domain, board))
                steps += bool(legal)
                if not legal or not goes_on():
                    break
                latest = random.choice(legal)
            if not goes_on():
                break
    if not steps:
        return skipped(f"no legal board is a step smaller than one of {counted(asked, 'board')}")
    return passed(f"{counted(steps, 'step')} from {counted(asked, 'board')} lead to ever smaller boards", boards=asked)


def revisited(evidence: DomainEvidence) -> Finding:
    """Compare the depths at which states are repeated with those that `layered` and `inverse` allow."""
    declared = evidence.domain.component.revisited
    if declared == "any":
        return skipped('it declares neither layered=True nor inverse="same": a state may be met again anywhere')
    for survey in evidence.surveys:
        again = _met_again(survey.space, declared) if survey.space else _met_again_by_walking(evidence, survey)
        if again:
            board, before, depth = again
            said = f"a state of depth {before} is met again at depth {depth}"
            return failed(f"it declares {REVISITED_BY[declared]}, but {said}", on_board(survey.domain, board))
    return passed(f"no state was met again where {REVISITED_BY[declared]} excludes it")


def _met_again(space: StateSpace, declared: str) -> tuple[Board, int, int] | None:
    """Return a state of a whole space that is repeated contrary to the declaration, and both depths."""
    reached = space.depths[:, None] + 1
    too_deep = (
        (space.successors >= 0) & ~space.ends & (reached - space.depths[space.successors] > NEWEST_REVISITED[declared])
    )
    found = np.argwhere(too_deep)
    if not len(found):
        return None
    origin, k = found[0]
    state = int(space.successors[origin, k])
    return space.board(state), int(space.depths[state]), int(space.depths[origin]) + 1


def _met_again_by_walking(evidence: DomainEvidence, survey: DomainSurvey) -> tuple[Board, int, int] | None:
    """Return such a state in the first layers of a space that is too large to be enumerated."""
    domain, start = survey.domain, survey.ground.sample.board
    declared = domain.component.revisited
    depths = {start: 0}
    goes_on = evidence.clock.until(1 / 10)
    for board in (waiting := [start]):
        if domain.component.ends_at_goal and domain.is_goal(board):
            continue
        for edge in evidence.edges(domain, board):
            if edge.terminal:
                continue
            if edge.board not in depths:
                depths[edge.board] = depths[board] + 1
                waiting.append(edge.board)
            if depths[board] + 1 - depths[edge.board] > NEWEST_REVISITED[declared]:
                return edge.board, depths[edge.board], depths[board] + 1
        if len(waiting) > MET or not goes_on():
            break
    return None


def bounds(evidence: DomainEvidence) -> Finding:
    """Compare `lower_bound` and `why_unsolvable` with exact costs."""
    component = evidence.domain.component
    if component.lower_bound is None and component.why_unsolvable is None:
        return skipped("it has neither lower_bound nor why_unsolvable")
    fault, known = evidence.fault("bounds"), sum(survey.known for survey in evidence.surveys)
    if not fault and not known:
        return skipped("no board is known to have a solution")
    return fault or passed(f"neither is refuted by {known:,} boards of known cost", boards=known)


def written_is_read(evidence: DomainEvidence) -> Finding:
    """Write boards in the domain's own format, and read them again, static data included."""
    written = 0
    goes_on = evidence.clock.until(1 / 10)
    for sample, boards in evidence.walked:
        for board in boards[:ASKED]:
            wrong = _wrong_when_read(sample.domain, board)
            if isinstance(wrong, Finding):
                return wrong
            if wrong:
                return failed(f"what format writes is read as {wrong}", on_board(sample.domain, board))
            written += 1
            if not goes_on():
                break
    return passed(f"{written:,} boards come back from being written in its format as they were", boards=written)


def _wrong_when_read(domain: BoundDomain, board: Board) -> str | Finding:
    """Return the result of `parse` on the output of `format` if it differs from the board, else `""`."""
    try:
        found = domain.parse(domain.format(board))
    except OSError as error:
        return skipped(f"its format names files, and there is none: {reason_of(error)}")
    except ValueError as error:
        return f"in another format: {message_of(error)}"
    if len(found) != 1:
        return f"{len(found)} instances"
    if found[0].start != board:
        return "another board"
    digest = domain.instance.digest if domain.instance else ""
    return "" if found[0].digest == digest else "other static data"


def points(evidence: DomainEvidence) -> Finding:
    """Ask for the points of each move twice."""
    if not evidence.domain.component.has_points:
        return skipped("it has no points")
    moves = sum(survey.earned for survey in evidence.surveys)
    return evidence.fault("points") or passed(f"{moves:,} moves earn what they earn, each time", moves=moves)


def pictures(evidence: DomainEvidence) -> Finding:
    """Draw boards, and parse the images."""
    component = evidence.domain.component
    if component.views.picture is None and component.views.svg is None:
        return skipped("it has neither picture nor svg")
    drawn = 0
    goes_on = evidence.clock.until(1 / 10)
    for sample, boards in evidence.walked:
        for number, board in enumerate(boards[:DRAWN]):
            with evidence.clock.calling(lambda board=board: board):  # type: ignore[misc]
                wrong = wrong_picture(sample.domain, board, boards[:number])
            if wrong:
                return failed(wrong, on_board(sample.domain, board))
            drawn += 1
            if not goes_on():
                break
    return passed(f"{drawn:,} boards can be drawn", boards=drawn)


def texts(evidence: DomainEvidence) -> Finding:
    """Write transcripts of walks, and remarks on their moves."""
    views = evidence.domain.component.views
    if views.remark is None and views.transcript is None:
        return skipped("it has neither remark nor transcript")
    generator = np.random.default_rng(SEED)
    walks = moves = 0
    goes_on = evidence.clock.until(1 / 10)
    for sample, _ in evidence.walked:
        for _ in range(REPLAYED):
            with evidence.clock.calling(lambda sample=sample: sample.board):  # type: ignore[misc]
                turns = _turns(sample, generator)
                wrong = wrong_texts(sample.domain, sample.board, turns)
            if wrong:
                return failed(wrong, on_board(sample.domain, sample.board))
            walks, moves = walks + 1, moves + len(turns)
            if not goes_on():
                break
    return passed(f"{counted(walks, 'walk')} with {counted(moves, 'move')} can be told in words", moves=moves)


def _turns(sample: Sample, generator: Generator) -> tuple[Turn, ...]:
    """Return the turns of a random walk."""
    turns: list[Turn] = []
    board = sample.board
    for edge, events, following in walk(sample, generator):
        points = sample.domain.points(board, edge.board)
        turns.append(Turn(edge.action, edge.board, edge.cost, points, events, following))
        board = following
    return tuple(turns)


def motions(evidence: DomainEvidence) -> Finding:
    """Ask for the motions of tiles twice, and compare them with the board after the move."""
    if evidence.domain.component.views.motions is None:
        return skipped("it has no motions")
    moves = sum(survey.shown for survey in evidence.surveys)
    said = f"in {moves:,} moves the tiles go to where they are after it"
    return evidence.fault("motions") or passed(said, moves=moves)


def inverse(evidence: DomainEvidence) -> Finding:
    """Compare the inverse moves with the moves, and vice versa."""
    moves = sum(survey.taken_back for survey in evidence.surveys)
    fault = evidence.fault("inverse")
    if not fault and not moves:
        return skipped("no move was met")
    return fault or passed(f"{moves:,} moves are those of the boards they lead to, taken backwards", moves=moves)


def goals(evidence: DomainEvidence) -> Finding:
    """Compare the listed goals with the goal test."""
    fault = evidence.fault("goals")
    if fault:
        return fault
    listed = sum(len(survey.listed_goals) for survey in evidence.surveys)
    met = sum(survey.goals for survey in evidence.surveys)
    fault = evidence.fault("goals")
    return fault or passed(f"each of the {listed:,} listed is a goal, and each of the {met:,} met is listed", goals=met)


def chances(evidence: DomainEvidence) -> Finding:
    """Ask for the events of each board twice, and check them."""
    events = 0
    for domain, board in _boards(evidence):
        here = _chance(evidence, domain, board)
        if isinstance(here, Finding):
            return here
        if here != _chance(evidence, domain, board):
            return failed("asked twice, something else may appear, or in another order", on_board(domain, board))
        twice = next((text for text, count in Counter(event.text for event in here).items() if count > 1), None)
        if twice is not None:
            return failed(f"two events on a board are both called {twice}", on_board(domain, board))
        for event in here:
            wrong = domain.why_invalid(event.board)
            if wrong:
                what = f"the event {event.text} leads to an illegal board: {wrong}"
                return failed(what, ("from:", board), ("to:", event.board))
        events += len(here)
    return passed(f"{events:,} events: the same when asked twice, their probabilities add up to 1", events=events)


def apply(evidence: DomainEvidence) -> Finding:
    """Apply each event of each board."""
    events = 0
    for domain, board in _boards(evidence):
        for event in domain.chance(board):
            try:
                with evidence.clock.calling(lambda board=board: board):  # type: ignore[misc]
                    after = domain.apply(board, event.text)
            except SearchlabError as error:
                return failed(f"chance lists the event {event.text}, but: {error}", on_board(domain, board))
            if after != event.board:
                said = f"apply({event.text}) {'refuses it' if after is None else 'leads to another board'}"
                shown = () if after is None else (("by apply:", after),)
                return failed(
                    f"{said}, and chance lists it", on_board(domain, board), ("by chance:", event.board), *shown
                )
            events += 1
    return passed(f"{events:,} events lead by their texts where chance says", events=events)


def draws(evidence: DomainEvidence) -> Finding:
    """Draw from each board, and begin games."""
    drawn = 0
    for domain, board in _boards(evidence):
        for seed in range(DRAWS):
            wrong = _wrong_draw(evidence, domain, board, seed)
            if wrong:
                return failed(wrong, on_board(domain, board))
            drawn += 1
    for ground in evidence.own:
        if ground.domain.component.start is None:
            continue
        for seed in SEEDS:
            first, second = (GameState(ground.domain, random_source(ground.domain, Randomness(seed))) for _ in range(2))
            if (first.start, first.opening) != (second.start, second.opening):
                return failed("begun twice with the same seed, a game begins differently", ("once:", first.start))
            wrong = ground.domain.why_invalid(first.start)
            if wrong:
                return failed(f"a game begins with a board that is none: {wrong}", on_board(ground.domain, first.start))
    return passed(f"{drawn:,} draws are events that chance lists, the same when drawn again", draws=drawn)


def _wrong_draw(evidence: DomainEvidence, domain: BoundDomain, board: Board, seed: int) -> str:
    """Return an error message for the draws with a seed, or `""`."""
    known = {event.text: event.board for event in domain.chance(board)}
    with evidence.clock.calling(lambda: board):
        offers = domain.draw(board, Randomness(seed))
        again = domain.draw(board, Randomness(seed))
    if offers != again:
        return "drawn twice from the same random numbers, something else appears; draw from `random` only"
    if bool(offers) != bool(known):
        return f"chance lists {len(known)} events, but {len(offers)} offers are drawn"
    for text, after in offers:
        if after is not None and known.get(text) != after:
            return f"the event {text} is drawn, which chance does not list, or with another board"
        if after is None and (text in known or domain.apply(board, text) is not None):
            return f"the offer {text} is refused when it is drawn, and elsewhere it is not"
    return ""


def frequencies(evidence: DomainEvidence) -> Finding:
    """Draw from a board of each sample many times, and count the events."""
    drawn = 0
    for sample, boards in evidence.walked:
        domain = sample.domain
        listed = ((board, domain.chance(board)) for board in _boards_after_moves(evidence, domain, boards))
        board, events = next(((board, events) for board, events in listed if len(events) > 1), (sample.board, ()))
        random, counts = Randomness(SEED), Counter[str]()
        goes_on = evidence.clock.until(1 / (10 * len(evidence.walked)))
        for _ in range(COUNTED if events else 0):
            if not goes_on():
                break
            with evidence.clock.calling(lambda board=board: board):  # type: ignore[misc]
                counts.update(offer.text for offer in domain.draw(board, random)[-1:])
        wrong = _unlikely(events, counts)
        if wrong:
            return failed(wrong, on_board(domain, board))
        drawn += counts.total()
    if not drawn:
        return skipped("no board was met on which several things may appear")
    return passed(f"{drawn:,} draws: each event about as often as its probability says", draws=counted)


def _unlikely(events: tuple[Event, ...], counts: Counter[str]) -> str:
    """Return an error message for a count far from its expectation, or `""`."""
    total = counts.total()
    for event in events:
        expected = event.probability * total
        if abs(counts[event.text] - expected) > FAR * (1 + expected**0.5):
            return f"of {total:,} draws {counts[event.text]:,} are {event.text}, where {expected:,.0f} are expected"
    return ""


def compiled_chances(evidence: DomainEvidence) -> Finding:
    """Compare the events of the compiled rules with those of the readable rules."""
    compile_for = cache(CompiledChances.of)
    events = 0
    for sample, _ in evidence.walked:
        form = sample.domain.packed(sample.board)
        try:
            with evidence.clock.calling(prepares=True):
                compiled = compile_for(sample.domain, sample.board)
        except CannotCompile as error:
            return _cannot_compile(evidence, error, form.rule("chances") if form else None)
        for domain, board in _boards(evidence):
            if domain is not sample.domain:
                continue
            expected = [(event.board, event.probability) for event in domain.chance(board)]
            here = compiled.after(board)
            if here != expected:
                return _difference(domain, board, expected, here)
            events += len(expected)
    return passed(f"{events:,} events are the same compiled and readable, to the last bit", events=events)


def _cannot_compile(evidence: DomainEvidence, error: CannotCompile, function: Callable[..., int] | None) -> Finding:
    """Return the finding that a form cannot be compiled; the finding names the line."""
    said = str(error)
    if function is not None:
        found = obstacle(error, function)
        said = f"{found.file}, {found}"
    return failed(said) if evidence.must_compile else info(said)


def _difference(
    domain: BoundDomain, board: Board, expected: list[tuple[Board, float]], here: list[tuple[Board, float]]
) -> Finding:
    """Return the finding about the first event in which compiled and readable rules differ."""
    for k, ((after, probability), (other, value)) in enumerate(zip(expected, here, strict=False), 1):
        if after != other:
            return failed(
                f"event {k} is another board", on_board(domain, board), ("readable:", after), ("compiled:", other)
            )
        if probability != value:
            said = f"event {k} has the probability {probability!r} readable, {value!r} compiled"
            return failed(f"{said}: let both compute it in the same way", on_board(domain, board))
    return failed(f"{len(expected)} events readable, {len(here)} compiled", on_board(domain, board))


def _boards(evidence: DomainEvidence) -> Iterator[tuple[BoundDomain, Board]]:
    """Yield boards after moves, before chance acts, while there is time for a question."""
    goes_on = evidence.clock.until(1 / 10)
    for sample, boards in evidence.walked:
        for board in _boards_after_moves(evidence, sample.domain, boards)[:ASKED]:
            yield sample.domain, board
            if not goes_on():
                break


def _boards_after_moves(evidence: DomainEvidence, domain: BoundDomain, boards: list[Board]) -> list[Board]:
    after = {edge.board: None for board in boards for edge in evidence.edges(domain, board) if not edge.terminal}
    return list(after)


def _chance(evidence: DomainEvidence, domain: BoundDomain, board: Board) -> tuple[Event, ...] | Finding:
    """Return the events of a board, or the finding that they are invalid."""
    try:
        with evidence.clock.calling(lambda: board):
            return domain.chance(board)
    except PluginError as error:
        return failed(str(error), on_board(domain, board))


def same_games(evidence: DomainEvidence) -> Finding:
    """Let a small network learn from games, in compiled code and on boards."""
    compared = 0
    for domain in {str(ground.domain): ground.domain for ground in evidence.own}.values():
        if domain.component.start is None:
            continue
        form = domain.packed(domain.start())
        if form is None or form.rule("draws") is None:
            continue
        try:
            with evidence.clock.calling(prepares=True):
                compiled = _compiled_games(domain)
        except CannotCompile as error:
            return _cannot_compile(evidence, error, form.rule("draws"))
        with evidence.clock.calling(domain.start):
            games = learned_games(_network(domain), None, domain, RATE, Randomness(SEED))
            defined = list(islice(games, len(compiled)))
        for number, (expected, here) in enumerate(zip(defined, compiled, strict=True), 1):
            if expected != here:
                said = f"game {number} has {_described(expected)} on boards, and {_described(here)} compiled"
                shown = ("on boards it ends with:", expected.final), ("compiled:", here.final)
                return failed(f"{said}: points and draws are to be the same", *shown)
        compared += len(defined)
    if not compared:
        return skipped("no packed form draws, or no game came to its end")
    return passed(f"{compared:,} games have the same moves, points and last boards", games=compared)


def _network(domain: BoundDomain) -> NTupleNetwork:
    """Return a network that looks up the first cell only."""
    start = domain.start()
    assert isinstance(start, Board)
    form = domain.packed(start)
    assert form is not None
    packing = Packing.of(form, start)
    bits = min(packing.bits, MOST_BITS)
    return NTupleNetwork(*start.shape, ((0,),), bits, form.powers_of_two, symmetric=False)


def _compiled_games(domain: BoundDomain) -> list[LearnedGame]:
    """Return the games of the compiled learner."""
    learner = CompiledLearner(_network(domain), domain, RATE, words_of(Randomness(SEED)), coherent=False)
    return learner.learn(MOVES, GAMES)[1]


def _described(game: LearnedGame) -> str:
    return f"{game.moves:,} moves and {np.format_float_positional(game.score, trim='-')} points"


def packs(evidence: DomainEvidence) -> Finding:
    """Report whether each board survives packing and unpacking."""
    reason = _no_compiled_rules(evidence)
    said = f"{evidence.share} and those after a move come back from being packed as they were"
    return reason or evidence.fault("packing") or passed(said, boards=evidence.looked)


def chooses(evidence: DomainEvidence) -> Finding:
    """Let the successor function write only some states, and compare these with all states."""
    compared = 0
    for sample, boards in evidence.walked:
        form = sample.domain.packed(sample.board)
        if form is None or not form.chooses:
            continue
        patterns = np.arange(form.max_successors) % np.array([[2], [3]]) == 1
        for board in boards[:ASKED]:
            if board.shape != sample.board.shape:
                continue
            try:
                with (
                    evidence.clock.calling(lambda board=board: board),  # type: ignore[misc]
                    PluginCode(partial(_failing, "its successor function fails if some states are chosen")),
                ):
                    every = packed_moves(sample.domain, form, board)
                    some = [packed_moves(sample.domain, form, board, chosen.astype(np.uint8)) for chosen in patterns]
            except PluginError as error:
                return failed(str(error), on_board(sample.domain, board))
            for chosen, moves in zip(patterns, some, strict=True):
                said = _unlike(every, moves, chosen)
                if said:
                    return failed(said, on_board(sample.domain, board))
                compared += len(moves.costs)
    if not compared:
        return skipped("its successor function does not ask for chosen")
    return passed(f"of {compared:,} moves the chosen ones alone are made, and described alike", moves=compared)


def _failing(what: str, error: BaseException) -> PluginError:
    return PluginError(f"{what}: {in_one_line(error)}")


def _unlike(every: PackedMoves, some: PackedMoves, chosen: NDArray[np.bool_]) -> str:
    """Return an error message if chosen moves differ from those among all moves, or `""`."""
    if len(every.costs) != len(some.costs):
        return f"with some states chosen it returns {len(some.costs)} instead of {len(every.costs)}"
    wanted = chosen[: len(every.costs)]
    for k in range(len(wanted)):
        if wanted[k] and not np.array_equal(every.states[k], some.states[k]):
            return f"out[{k}] differs if it is chosen and others are not"
        if not wanted[k] and some.states[k].any():
            return f"it writes out[{k}], which is not chosen"
    for name in ("numbers", "costs", "terminal"):
        if not np.array_equal(getattr(every, name), getattr(some, name)):
            return f"{'moves' if name == 'numbers' else name} differ if some states are not chosen"
    return ""


def compiles(evidence: DomainEvidence) -> Finding:
    """Compile the packed form's functions."""
    for ground in evidence.own + evidence.others:
        compiled = ground.compiled
        if isinstance(compiled, CannotCompile):
            form = ground.domain.packed(ground.sample.board)
            if form is None:
                said = "it runs interpreted, about 100 times slower: it has no packed form (see PackedForm)"
                return failed(said) if evidence.must_compile else info(said)
            functions = [*filter(None, (form.rule("successors"), form.rule("is_goal")))]
            named = [function for function in functions if str(compiled).startswith(f"{function.__name__} ")]
            found = obstacle(compiled, (named or functions)[0])
            said = f"{found.file}, {found}"
            return failed(said) if evidence.must_compile else info(said)
    return passed("its rules become machine code")


def same_compiled(evidence: DomainEvidence) -> Finding:
    """Compare compiled successors and goal tests with the readable ones."""
    reason = _no_compiled_rules(evidence)
    moves = sum(survey.compared for survey in evidence.surveys)
    said = f"{moves:,} moves of {evidence.share} are the same compiled and readable"
    facts = {"moves": moves, "boards": evidence.looked, "of": evidence.states}
    return reason or evidence.fault("same-compiled") or passed(said, **facts)


def engines_agree(evidence: DomainEvidence) -> Finding:
    """Search with the domain's own heuristic and frontier in both engines, and replay the solutions by both rules."""
    done = 0
    limits = Limits(expansions=EXPANSIONS)
    reason = _no_compiled_rules(evidence)
    if reason:
        return reason
    for sample, boards in evidence.walked:
        try:
            searchers = [
                Searcher(domain=sample.domain, engine=engine, plugins=sample.plugins, replays_twice=True)
                for engine in ("compiled", "readable")
            ]
        except SearchlabError as error:
            return skipped(f"its own heuristic and frontier do not serve: {error}")
        for board in boards[:: max(1, len(boards) // 3)]:
            with evidence.clock.calling(lambda board=board: board, prepares=True):  # type: ignore[misc]
                compiled, readable = (each.search(each.problem(board), limits=limits) for each in searchers)
            if compiled.status == "error":
                return failed(compiled.reason, on_board(sample.domain, board))
            difference = difference_of_engines(compiled, readable)
            if difference:
                return failed(difference, on_board(sample.domain, board))
            done += 1
    return passed(f"{done} searches do the same compiled and readable, and their solutions replay", searches=done)


def _no_compiled_rules(evidence: DomainEvidence) -> Finding | None:
    errors = [ground.compiled for ground in evidence.own if isinstance(ground.compiled, CannotCompile)]
    return skipped(f"there are no compiled rules: {errors[0]}") if errors else None


RULES = (
    Property("successors", "Are its moves always the same, and lead to legal boards?", successors),
    Property("actions-replay", "Can a game be played again by the names of its moves?", actions_replay),
    Property("goal-test", "Is a goal always a goal?", goal_test),
    Property("points", "Does a move always earn the same?", points),
    Property("motions", "Do the tiles go where motions says?", motions),
    Property("pictures", "Can its boards be drawn?", pictures),
    Property("texts", "Does it write transcripts and remarks?", texts),
    Property("inverse", "Are the inverse moves the moves, taken backwards?", inverse),
    Property("goals", "Are the goals it lists all there are?", goals),
    Property("smaller", "Are the boards that are a step smaller ever smaller?", smaller),
    Property("revisited", "Are states met again only in the layers where it says they are?", revisited),
    Property("bounds", "Are lower_bound and why_unsolvable true?", bounds),
)
SYMMETRIC = (Property("symmetric", "Does turning or mirroring a board make no difference?", symmetric),)
"""Further properties of games of chance that declare symmetry."""
OWN_FORMAT = (Property("format", "Does parse read what format writes?", written_is_read),)
"""Further properties of domains that have both `parse` and `format`."""
CHANCES = (
    Property("chances", "Is what may appear always the same, with probabilities that add up to 1?", chances),
    Property("apply", "Does apply lead to the boards that events yields?", apply),
    Property("draws", "Is what is drawn what may appear?", draws),
    Property("frequencies", "Is it drawn as often as its probability says?", frequencies),
    Property("same-chances", "Are the compiled chances those on Board objects, to the last bit?", compiled_chances),
)
"""Further properties of games of chance."""
WHOLE_GAMES = (
    Property(
        "same-games", "Are games in compiled code, points and draws included, those on Board objects?", same_games
    ),
)
"""More properties, for games of chance with a packed form that draws."""
FORMS = (
    Property("compiles", "Can its rules be compiled to machine code?", compiles),
    Property("packing", "Does a board survive being packed?", packs),
    Property("same-compiled", "Are the compiled rules those on Board objects?", same_compiled),
    Property("chosen", "Does it make the chosen successors alone, if it asks which?", chooses),
    Property("engines-agree", "Do both engines search it alike?", engines_agree),
)
