"""A component that is broken where it is used: exit code 4, one line that names it, and never a traceback."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

HEAD = """
import sys
import numpy as np
from searchlab import Board, Defaults, Domain, FileFormat, Frontier, Heuristic, PackedForm, Parameter, Views, hookimpl
"""
GAME = '''
def successors(board):
    """Pancakes: turn the upper k over."""
    stack = board.tiles[0]
    for k in range(2, len(stack) + 1):
        yield f"flip-{k}", Board([np.append(stack[:k][::-1], stack[k:])])


def is_goal(board):
    return bool((np.diff(board.tiles[0]) == 1).all())


def start():
    return Board([[3, 1, 2]])


def flips(tiles, out):
    return 0


def broken(*subjects):
    CODE


@hookimpl
def searchlab_domains():
    given = {"start": start, FIELD}
    parts = {"files": {"format"}, "views": {"transcript"}, "defaults": {"heuristic", "frontier"}}
    for (part, fields), made in zip(parts.items(), (FileFormat, Views, Defaults)):
        given[part] = made(**{field: given.pop(field) for field in fields & {*given}})
    yield Domain("mine", given.pop("successors", successors), given.pop("is_goal", is_goal), **given)
'''
HEURISTICS = {
    "raises": ("raise ValueError('a\\nb')", "heuristic mine: ValueError: a b ("),
    "exits": ("sys.exit(0)", "heuristic mine: SystemExit: 0"),
    "returns nothing": ("pass", "heuristic mine returned None, which is not a number"),
    "returns an array": (
        "return tiles.sum(axis=0)",
        "heuristic mine returned array([0, 0, 0, 2]), which is not a number but an array of shape (4,)",
    ),
    "returns a text": ("return 'seven'", "heuristic mine returned 'seven', which is not a number"),
    "returns NaN": ("return float('nan')", "heuristic mine returned NaN, which is not an estimate"),
    "returns a complex number": ("return 1j", "heuristic mine returned 1j, which is not a number"),
    "never ends calling itself": ("return mine(tiles)", "heuristic mine: RecursionError"),
    "raises what cannot be shown": (
        "class Mute(Exception):\n    def __str__(self):\n        raise RuntimeError\nraise Mute",
        "heuristic mine: Mute (",
    ),
    "returns what cannot be shown": (
        "class Mute:\n    def __repr__(self):\n        raise RuntimeError\nreturn Mute()",
        "heuristic mine returned <Mute>, which is not a number",
    ),
}
FRONTIERS = {
    "priority raises": ("(g, h)", "raise ValueError('x')", "mine: mine failed: ValueError: x"),
    "priority exits": ("(g, h)", "sys.exit(0)", "mine failed: SystemExit: 0"),
    "priority is nothing": ("(g, h)", "pass", "the priority of g = 0, h = 3 is None, which is not a number"),
    "priority is a text": ("(g, h)", "return '3'", "the priority of g = 0, h = 3 is '3', which is not a number"),
    "priority is a list": ("(g, h)", "return [g]", "the priority of g = 0, h = 3 is [0.0], which is not a number"),
    "priority is NaN": ("(g, h)", "return float('nan')", "frontier mine: the priority"),
    "loop raises": ("(problem, watch)", "raise ValueError('x')", "frontier mine failed: ValueError: x"),
    "loop exits": ("(problem, watch)", "sys.exit(0)", "frontier mine failed: SystemExit: 0"),
    "loop returns junk": ("(problem, watch)", "return 5", "frontier mine returned 5, not an Outcome"),
}
DOMAINS = {
    "successors raise": ("successors", "raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "successors exit": ("successors", "sys.exit(0)", "mine: broken failed: SystemExit: 0"),
    "successors are nothing": ("successors", "pass", "mine: broken failed: TypeError: 'NoneType' object"),
    "successors are numbers": ("successors", "return [1, 2]", "mine: broken failed: TypeError"),
    "successors are no boards": ("successors", "return [('a', 5)]", "yields (action, board, …) with a Board, not int"),
    "actions are no texts": ("successors", "return [(5, start())]", "yields (action, board, …) with a text, not int"),
    "costs are no numbers": (
        "successors",
        "return [('a', start(), 'x')]",
        "the move a costs 'x', which is not a number",
    ),
    "goal test raises": ("is_goal", "raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "goal test exits": ("is_goal", "sys.exit(0)", "mine: broken failed: SystemExit: 0"),
    "goal test forgets to return": ("is_goal", "pass", "is_goal returned None, not True or False"),
    "goal test returns an array": ("is_goal", "return np.zeros(3)", "is_goal returned array([0., 0., 0.]), not True"),
    "start raises": ("start", "raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "start exits": ("start", "sys.exit(0)", "mine: broken failed: SystemExit: 0"),
    "start is not a board": ("start", "return [[1, 2]]", "mine: start has to return a state, but [[1, 2]] is not"),
    "why_invalid raises": ("why_invalid", "raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "why_invalid is no text": ("why_invalid", "return 5", "mine: why_invalid returned 5, not a text"),
    "why_invalid exits": ("why_invalid", "sys.exit(0)", "mine: broken failed: SystemExit: 0"),
    "why_unsolvable raises": ("why_unsolvable", "raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "why_unsolvable is no text": ("why_unsolvable", "return [1]", "mine: why_unsolvable returned [1], not a"),
    "lower_bound raises": ("lower_bound", "raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "lower_bound is nothing": ("lower_bound", "pass", "mine: lower_bound returned None, which is not a number"),
    "lower_bound is a text": ("lower_bound", "return '3'", "mine: lower_bound returned '3', which is not a number"),
    "format raises": ("format", "raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "format is nothing": ("format", "pass", "mine: format returned None, not a text"),
    "transcript raises": ("transcript", "raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "transcript is no text": ("transcript", "return [5]", "mine: transcript yielded 5, not a text"),
}
FORM = "values=4, max_successors=2, successors=flips, is_goal=lambda tiles: False"
PACKED = {
    "raises": ("raise ValueError('x')", "mine: broken failed: ValueError: x"),
    "exits": ("sys.exit(0)", "mine: broken failed: SystemExit: 0"),
    "is junk": ("return 'x'", "mine: packed returned 'x', not a PackedForm"),
    "has a text for a number": (
        f"return PackedForm({FORM.replace('4', repr('4'))})",
        "PackedForm: values is a whole number from 1 to",
    ),
    "has no values": (f"return PackedForm({FORM.replace('4', '0')})", "PackedForm: values is a whole number from 1 to"),
    "has no successors": (
        f"return PackedForm({FORM.replace('2', '0')})",
        "max_successors is needed: the most successors a state has, a whole number from 1 on",
    ),
    "has too few bits": (f"return PackedForm({FORM}, bits=1)", "4 values do not fit into bits=1"),
    "has too many bits": (f"return PackedForm({FORM}, bits=99)", "bits is a whole number from 0 to 64, not 99"),
    "has no rules": (
        f"return PackedForm({FORM.replace('flips', '5')})",
        "successors is 5, not a function (tiles, out)",
    ),
    "has rules of one array": (
        f"return PackedForm({FORM.replace('flips', 'lambda tiles: 0')})",
        "successors is a function (tiles, out), not <lambda>(tiles)",
    ),
    "has no tables": (f"return PackedForm({FORM}, tables=5)", "tables is a dict of arrays and numbers by name, not 5"),
    "names its moves as a text": (f"return PackedForm({FORM}, move='tile')", "move is a tuple of names"),
    "moves in no place": (f"return PackedForm({FORM}, in_place=5)", "in_place is an InPlace, not 5"),
    "writes beyond the end": (
        f"def beyond(tiles, out):\n    out[50, 0, 0] = 1\n    return 1\n"
        f"return PackedForm({FORM.replace('flips', 'beyond')})",
        "IndexError: index is out of bounds",
    ),
    "counts more than there is room for": (
        f"def more(tiles, out):\n    return 1000\nreturn PackedForm({FORM.replace('flips', 'more')})",
        "a successor function returned a number that is below 0 or above max_successors",
    ),
    "counts less than none": (
        f"def fewer(tiles, out):\n    return -5\nreturn PackedForm({FORM.replace('flips', 'fewer')})",
        "a successor function returned a number that is below 0 or above max_successors",
    ),
}


def function(name, subjects, code):
    return f"{HEAD}def {name}{subjects}:\n{textwrap.indent(code, '    ')}\n"


def failed(ran, said):
    """The one error was said in a line, on standard error."""
    assert ran.code == 4, ran
    *warnings, error = ran.err.splitlines()
    assert error.startswith("searchlab: error: "), ran.err
    assert said in error
    assert all(warning.startswith("searchlab: warning: ") for warning in warnings)
    assert len(warnings) <= 1
    assert len(error) < 500


@pytest.mark.slow
@pytest.mark.parametrize(("code", "said"), HEURISTICS.values(), ids=HEURISTICS.keys())
@pytest.mark.parametrize("engine", ["readable", "auto"])
def test_a_broken_heuristic_is_an_error_of_one_line(run, write, code, said, engine):
    """As the function of a file, whether it can be compiled or not."""
    path = write("mine.py", function("mine", "(tiles)", code))
    failed(run("solve", "--goal", 16, "--heuristic", f"{path}:mine", "--engine", engine), said)


@pytest.mark.parametrize("code", [code for code, _ in HEURISTICS.values()], ids=HEURISTICS.keys())
def test_a_broken_batch_form_is_an_error_of_one_line(run, write, code):
    """A batch form that does not return a number for each board."""
    hook = "\n@hookimpl\ndef searchlab_heuristics():\n    yield Heuristic('mine', batch=mine)\n"
    path = write("mine.py", function("mine", "(tiles)", code) + hook)
    failed(run("solve", "--goal", 16, "--heuristic", "mine", "--plugin", path), "heuristic mine")


@pytest.mark.parametrize(("subjects", "code", "said"), FRONTIERS.values(), ids=FRONTIERS.keys())
def test_a_broken_frontier_is_an_error_of_one_line(run, write, subjects, code, said):
    """In both engines, whether the priority can be compiled or not."""
    field = "priority" if subjects == "(g, h)" else "run"
    hook = f"\n@hookimpl\ndef searchlab_frontiers():\n    yield Frontier('mine', {field}=mine)\n"
    path = write("mine.py", function("mine", subjects, code) + hook)
    for engine in ("readable", "auto"):
        ran = run("solve", "sliding-tile/example", "--frontier", "mine", "--plugin", path, "--engine", engine)
        failed(ran, said)


@pytest.mark.parametrize("code", ["raise ValueError('x')", "return 'perhaps'", "sys.exit(0)"])
def test_a_broken_guarantee_is_an_error_of_one_line(run, write, code):
    """The guarantee of a frontier is asked for after a solution was found."""
    promise = function("promise", "()", code)
    declared = "Frontier('mine', lambda g, h: g, optimal_with='always', within=promise)"
    hook = f"\n@hookimpl\ndef searchlab_frontiers():\n    yield {declared}\n"
    path = write("mine.py", promise + hook)
    ran = run("solve", "sliding-tile/example", "--frontier", "mine", "--plugin", path, "--engine", "readable")
    failed(ran, "mine: ")


def game(field, code):
    body = textwrap.indent(code, "    ").strip()
    return HEAD + GAME.replace("CODE", body).replace("FIELD", f'"{field}": broken')


@pytest.mark.slow
@pytest.mark.parametrize(("field", "code", "said"), DOMAINS.values(), ids=DOMAINS.keys())
def test_a_broken_domain_is_an_error_of_one_line(run, write, field, code, said):
    """Whichever of its functions it is; other games are not affected."""
    path = write("mine.py", game(field, code))
    failed(run("solve", "--domain", "mine", "--plugin", path, "--engine", "readable", "--transcript"), said)
    other = run("solve", "2048/board10", "--plugin", path, "--engine", "readable", "--moves-only")
    assert (other.code, other.out, other.err) == (0, "down down down\n", "")


@pytest.mark.slow
@pytest.mark.parametrize(("code", "said"), PACKED.values(), ids=PACKED.keys())
def test_a_broken_packed_form_is_an_error_of_one_line(run, write, code, said):
    """An invalid packed form is refused by the compiled engine; the readable engine does not use it."""
    path = write("mine.py", game("packed", code))
    failed(run("solve", "--domain", "mine", "--plugin", path), said)
    assert run("solve", "--domain", "mine", "--plugin", path, "--engine", "readable").code == 0


def test_a_check_of_a_parameter(run, write):
    """A check that raises is the plugin's fault, not the user's."""
    source = function("mine", "(tiles, a=1)", "return a")
    check = "parameters=(Parameter('a', 1, check=lambda value: 1 / 0),)"
    path = write(
        "mine.py", f"{source}\n@hookimpl\ndef searchlab_heuristics():\n    yield Heuristic('mine', mine, {check})"
    )
    ran = run("solve", "--goal", 8, "--heuristic", "mine:a=2", "--plugin", path)
    failed(ran, "heuristic mine: the check of a=2 failed: ZeroDivisionError")


@pytest.mark.parametrize(
    ("field", "name"), [("heuristic", "nowhere"), ("frontier", "nowhere"), ("heuristic", "distance-weighted")]
)
def test_missing_defaults_of_a_domain_are_an_error(run, write, field, name):
    """The error lists the available ones, and the user may name another."""
    path = write("mine.py", HEAD + GAME.replace("CODE", "pass").replace("FIELD", f'"{field}": {name!r}'))
    error = run("solve", "--domain", "mine", "--plugin", path).error
    assert name in error
    named = ("--heuristic", "empty") if field == "heuristic" else ("--frontier", "astar")
    assert name not in run("solve", "--domain", "mine", "--plugin", path, *named, "--engine", "readable").err


@pytest.mark.slow
def test_a_heuristic_cannot_turn_searchlab_warnings_into_errors(run, folder):
    (folder / "strict.py").write_text(
        "import warnings\n\ndef strict(tiles):\n    warnings.simplefilter('error')\n    return 1\n\n"
        "def fails(tiles):\n    warnings.simplefilter('error')\n    raise ValueError('no')\n"
    )
    searched = run("solve", "--heuristic", "strict.py:strict", "--goal", "8")
    assert (searched.code, "strict cannot be compiled" in searched.err) == (0, True)
    evaluated = run("evaluate", "2048/board10", "--heuristic", "strict.py:fails", "--heuristic", "snake")
    assert evaluated.err == (
        f"searchlab: warning: heuristic fails failed: ValueError: no ({folder / 'strict.py'}, line 9)\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("closes", ["sys.stdout.close()", "sys.stdout.buffer.close()", "os.close(1)"])
def test_a_heuristic_that_closes_standard_output_does_no_harm(folder, closes):
    """The command's own is another."""
    (folder / "closes.py").write_text(f"import os\nimport sys\n\ndef closes(tiles):\n    {closes}\n    return 1\n")
    command = [sys.executable, "-m", "searchlab", "evaluate", "2048/board10", "--heuristic", "closes.py:closes"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, "Traceback" in done.stderr, "2048/board10" in done.stdout) == (0, False, True)
