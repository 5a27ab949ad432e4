"""Whatever a plugin raises, and whenever, is that plugin's error: nothing is lost, and it chooses no exit code."""

import ast
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import searchlab as sl
from searchlab.binding.bound import NoNumber, exact_number, number
from searchlab.errors import Cancelled, PluginCode, in_one_line
from searchlab.model.packed import MOST_SUCCESSORS
from searchlab.plugins.found import Found
from searchlab.search.solve import measured

sys.path.insert(0, str(Path(__file__).parent / "plugin_files"))
from hostile import NO_NUMBERS, ODD, RAISES, Bad, Odd, Worse, raising

HERE = "hostile.py, line "
BOARD = sl.Board([[1, 2, 3], [4, 0, 6], [7, 5, 8]])


def walk(**functions):
    """A game on one cell: from each number to the next, or to twice as much; five is the goal."""
    own = {"start": lambda: sl.Board([[1]]), "successors": following, "is_goal": lambda board: board.tile_at(0, 0) == 5}
    return sl.domain(sl.Domain("walk", **{**own, **functions}, unit_cost=False))


def following(board):
    tile = board.tile_at(0, 0)
    return [("next", sl.Board([[tile + 1]])), ("twice", sl.Board([[2 * tile]]))] if tile < 5 else []


def first(function):
    """Successors of which the second thing that is asked of them fails."""

    def successors(board):
        yield "next", sl.Board([[2]])
        yield function()

    return successors


def edge(*fields):
    return lambda board: [[field() if callable(field) else field for field in fields]]


def solved(**settings):
    """Search; return the line on what went wrong."""
    result = sl.solve(**{"board": BOARD, "domain": "sliding-tile", "engine": "readable", **settings})
    assert result.status == "error", result
    return result.reason.splitlines()[0]


def walked(frontier="uniform-cost", **functions):
    return solved(board=None, domain=walk(**functions), frontier=frontier)


def played(**functions):
    """Play; return the line on what went wrong."""
    player = sl.player(sl.Player("mine", **functions), domain=sl.domain("2048-random:n=3"))
    game = sl.play(domain="2048-random:n=3", player=player)
    assert game.status == "error", game
    return game.reason.splitlines()[0]


def asked(call):
    """Return the line of the error that a call ends with."""
    with pytest.raises((sl.PluginError, sl.UsageError)) as raised:
        call()
    return str(raised.value).splitlines()[0]


def batched(function):
    heuristic = sl.Heuristic("mine", batch=function, domains={"sliding-tile"})
    return sl.heuristic(heuristic, domain=sl.domain("sliding-tile"))


def of_chance(**functions):
    return walk(chance=sl.Chance(**{"events": lambda board: [("calm", board, 1.0)], **functions}))


def transcribed(transcript):
    return walk(views=sl.Views(transcript=transcript)).transcript(BOARD, (), proved=False)


PLACES = {
    "heuristic": lambda f: solved(heuristic=f),
    "heuristic in a beam": lambda f: solved(heuristic=f, frontier="beam"),
    "heuristic in batches": lambda f: solved(heuristic=f, batch=8),
    "heuristic of ida-star": lambda f: solved(heuristic=f, frontier="ida-star"),
    "batch form": lambda f: solved(heuristic=batched(f)),
    "priority": lambda f: solved(frontier=lambda g, h: f()),
    "loop": lambda f: solved(frontier=lambda problem, watch: f()),
    "within": lambda f: solved(
        frontier=sl.frontier(sl.Frontier("mine", lambda g, h: g + h, optimal_with="always", within=f))
    ),
    "successors": lambda f: walked(successors=f),
    "successors half-way": lambda f: walked(successors=first(f)),
    "successors of iterative deepening": lambda f: walked("iterative-deepening", successors=first(f)),
    "goal test": lambda f: walked(is_goal=f),
    "action": lambda f: walked(successors=edge(f, sl.Board([[2]]))),
    "board": lambda f: walked(successors=edge("next", f)),
    "cost": lambda f: walked(successors=edge("next", sl.Board([[2]]), f)),
    "start": lambda f: asked(lambda: sl.solve(domain=walk(start=f))),
    "lower_bound": lambda f: asked(lambda: walk(lower_bound=f).lower_bound(BOARD)),
    "why_unsolvable": lambda f: asked(lambda: walk(why_unsolvable=f).why_unsolvable(BOARD)),
    "why_invalid": lambda f: asked(lambda: walk(why_invalid=f).check(BOARD)),
    "format": lambda f: asked(lambda: walk(files=sl.FileFormat(format=f)).format(BOARD)),
    "transcript": lambda f: asked(lambda: list(transcribed(lambda start, turns: [f()]))),
    "chance": lambda f: asked(lambda: of_chance(events=lambda board: [("calm", board, f())]).chance(BOARD)),
    "points": lambda f: asked(lambda: of_chance(points=f).points(BOARD, BOARD)),
    "opening": lambda f: asked(lambda: of_chance(opening=f).opening()),
    "player": lambda f: played(function=lambda board, moves: f()),
    "values of a player": lambda f: played(values=lambda board, moves: [f() for _ in moves]),
    "all values of a player": lambda f: played(values=lambda board, moves: f()),
    "generator": lambda f: asked(lambda: sl.generator(sl.Generator("mine", lambda random: f()))(1)),
    "renderer": lambda f: asked(lambda: sl.renderer(sl.Renderer("mine", lambda board: f()))(BOARD)),
}
NUMBERS = (
    *("heuristic", "heuristic in a beam", "heuristic in batches", "heuristic of ida-star", "priority", "cost"),
    *("lower_bound", "chance", "points", "values of a player"),
)
GENERATORS = ("successors half-way", "successors of iterative deepening")
TEXTS = ("why_unsolvable", "why_invalid", "format", "transcript")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", RAISES)
def test_any_exception_of_a_plugin_is_an_error_of_one_line_with_its_place(place, error):
    """Exceptions that cannot be shown are named by their class."""
    said = PLACES[place](RAISES[error])
    if error == "StopIteration" and place in GENERATORS:
        assert "generator raised StopIteration" in said
    else:
        assert error in said
        assert HERE in said


@pytest.mark.parametrize("place", [place for place in PLACES if place not in (*TEXTS, "action", "player")])
@pytest.mark.parametrize("value", ODD)
def test_odd_return_values_are_an_error_of_one_line(place, value):
    """They fail when they are converted, compared, counted or shown."""
    assert PLACES[place](ODD[value])


@pytest.mark.parametrize("place", [place for place in PLACES if place in NUMBERS])
@pytest.mark.parametrize("value", NO_NUMBERS)
def test_invalid_numbers_are_refused_everywhere(place, value):
    """Bytes and texts that spell a number are refused, too."""
    said = PLACES[place](NO_NUMBERS[value])
    assert "not a number" in said
    if value == "fails":
        assert "ZeroDivisionError: no idea" in said


def test_numbers_are_numbers():
    """Of every kind that can be computed with, exact where whole."""
    from decimal import Decimal
    from fractions import Fraction

    for value in (True, 2, 2.5, np.int8(2), np.float32(2.5), np.array(2), np.array([2.5]), Fraction(5, 2), Decimal(2)):
        assert number(value) == value
    assert exact_number(2**70 + 1) == exact_number(np.int64(5)) + 2**70 - 4
    assert type(exact_number(np.int64(5))) is int
    for value in (
        b"1",
        np.bytes_(b"1"),
        np.array(b"1"),
        np.array("1"),
        np.array([1, 2]),
        np.complex128(1),
        np.str_("1"),
    ):
        with pytest.raises(NoNumber, match="which is not a number"):
            number(value)


def test_a_metric_that_raises_loses_no_search():
    """Its value is missing, which is reported."""
    result = sl.solve(BOARD, domain="sliding-tile", engine="readable")
    for wrong in (*RAISES.values(), *ODD.values()):
        told = []
        plugins = sl.Plugins(entry_points=(), report=told.append)
        plugins.all = lambda kind, wrong=wrong: [Found(sl.Metric("mine", lambda result: wrong()), Named("mine"))]
        assert measured(result, plugins) == replace(result, metrics={"mine": None})
        assert "metric 'mine' failed" in str(told[0])


class Named:
    """What is reported of a plugin."""

    version, file = "", "mine.py"

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


def test_a_subclass_of_board_cannot_override_methods():
    """A plugin must not change the equality of boards."""
    for changed in ("__eq__", "__hash__", "tiles", "__getattribute__", "keep", "__class__", "__bool__"):
        with pytest.raises(TypeError, match=f"{changed}.* of Board: a subclass may add methods, but not change any"):
            type("Mine", (sl.Board,), {changed: raising(Bad())})


def test_endless_moves_are_an_error_in_search_and_game():
    """After that number, in one line."""

    def endless(board):
        after = sl.Board([[2]])
        while True:
            yield "next", after

    said = f"walk: successors yields more than {MOST_SUCCESSORS:,} moves from one board: does it ever end?"
    assert walked(successors=endless) == said
    game = sl.play(domain=walk(successors=endless), player="random")
    assert (game.status, game.reason.splitlines()[0]) == ("error", said)


def raised_in(function, blame=None):
    with PluginCode(*([blame] if blame else [])):
        function()


@pytest.mark.parametrize("error", [Cancelled(), pytest.exit.Exception("over"), pytest.skip.Exception("not here")])
def test_exceptions_of_searchlab_and_pytest_pass(error):
    with pytest.raises(type(error)) as raised:
        raised_in(raising(error))
    assert raised.value is error


def test_every_keyboard_interrupt_passes():
    """With Python's own handler of Ctrl-C or with one of the program."""
    with pytest.raises(KeyboardInterrupt):
        raised_in(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        raised_in(raising(KeyboardInterrupt()))


class Service:
    """Its handler is a method."""

    def leave(self, number, frame):
        raise SystemExit(7)

    def __call__(self, number, frame):
        raise TimeoutError("too late")


@pytest.mark.parametrize(("handler", "raised"), [(Service().leave, SystemExit), (Service(), TimeoutError)])
def test_exceptions_of_signal_handlers_pass(handler, raised):
    """They pass outside a search, too, such as while a heuristic returns a value."""
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(raised):
            raised_in(lambda: signal.raise_signal(signal.SIGUSR1))
        with pytest.raises(sl.PluginError, match="SystemExit: 7"):
            raised_in(raising(SystemExit(7)))
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_objects_that_cannot_be_shown_are_named_by_their_class():
    assert in_one_line(Bad()) == "Bad"
    assert in_one_line(Worse()) == "Worse"
    assert sl.errors.shown(Odd(SystemExit(0))) == "<Odd>"


def test_a_searchlab_error_that_cannot_be_shown_is_a_plugin_error():
    """A subclass that fails when it is reported passes for none of ours."""

    class Mine(sl.PluginError):
        __str__ = raising(Bad())

    with pytest.raises(sl.PluginError, match=r"^Mine \(") as raised:
        raised_in(raising(Mine()))
    assert type(raised.value) is sl.PluginError


OURS = Path(sl.__file__).parent
BROAD = {"Exception", "BaseException", "SystemExit", "GeneratorExit"}
NOT_AROUND_PLUGINS = {
    "errors/interrupts.py",
    "experiments/import_values.py",
    "files/arrays.py",
    "errors/plugin_code.py",
    "files/__init__.py",
    "plugins/loading.py",
    "cli/program.py",
    "experiments/scheduler.py",
    "experiments/store.py",
    "experiments/worker_process.py",
    "search/watchdog.py",
    "testing/clock.py",
    "compiler/cache.py",
    "games/learning/array_files.py",
    "search/compiled/threads.py",
    "games/expectimax_compiled.py",
    "cli/names.py",
    "cli/process.py",
    "testing/grading/examination.py",
    "testing/grading/grading.py",
    "testing/grading/process.py",
}
"""Modules that catch everything for another reason: to tidy up, for another thread to raise, for a damaged file, as the
last resort, or because it is a student's code whose every failure is a mark."""


def names(node):
    """The names in an expression."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} if node is not None else BROAD


def broad_handlers(tree):
    """The places where everything, or nearly so, is caught."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and names(node.type) & BROAD:
            yield node
        elif isinstance(node, ast.Call) and "suppress" in ast.dump(node.func):
            yield from (argument for argument in node.args if names(argument) & BROAD)


def test_only_plugin_code_catches_all_exceptions():
    """Code around a plugin's function uses PluginCode."""
    found = {
        str(path.relative_to(OURS))
        for path in OURS.rglob("*.py")
        if any(broad_handlers(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found <= NOT_AROUND_PLUGINS, "use searchlab.errors.PluginCode around what calls a plugin"


def test_no_generator_waits_in_plugin_code():
    """Closed there, it would raise a GeneratorExit that is nobody's error."""
    for path in OURS.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef) or "contextmanager" in ast.dump(
                ast.Tuple(function.decorator_list)
            ):
                continue
            for block in ast.walk(function):
                if isinstance(block, ast.With) and any("PluginCode" in names(i.context_expr) for i in block.items):
                    assert not any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(block)), (
                        path,
                        block.lineno,
                    )
