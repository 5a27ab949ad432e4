"""A broken plugin is reported in one line, and everything else works as without it."""

from __future__ import annotations

import os
import sys
import textwrap

import pytest

IMPORTS = (
    "from searchlab import Board, Defaults, Domain, Executor, Frontier, Generator, Heuristic, Metric, PackedForm, "
    "Parameter, Player, Renderer, hookimpl\n"
)
PRESSES_CTRL_C = "import signal\nsignal.raise_signal(signal.SIGINT)"
SOLVE = ("solve", "--goal", 8, "--engine", "readable", "--moves-only")


def hook(kind, body):
    """A plugin with one hook."""
    return f"{IMPORTS}\n@hookimpl\ndef searchlab_{kind}s():\n{textwrap.indent(textwrap.dedent(body), '    ')}"


def heuristic(arguments, before=""):
    return f"{before}\n{hook('heuristic', f'yield Heuristic({arguments})')}"


def domain(arguments):
    return hook("domain", f"yield Domain('d', {arguments})")


def frontier(arguments):
    return hook("frontier", f"yield Frontier({arguments})")


IMPORTING = {
    "a syntax error": ("def f(:\n", "SyntaxError: invalid syntax (line 1)"),
    "tabs and blanks": ("if 1:\n\tx = 1\n        y = 2\n", "TabError: inconsistent use of tabs"),
    "a null byte": (b"x = 1\0\n", "SyntaxError: source code string cannot contain null bytes"),
    "not UTF-8": (b"x = '\xff\xfe'\n", "codec can't decode byte 0xff"),
    "an unknown encoding": (b"# -*- coding: nonsense -*-\n", "SyntaxError: unknown encoding: nonsense"),
    "a missing module": ("import nowhere_at_all\n", "ModuleNotFoundError: No module named 'nowhere_at_all' (line 1)"),
    "a long message in lines": ("raise ValueError('a\\nb' * 9999)\n", "ValueError: a ba b"),
    "an error that cannot be shown": (
        "class Mute(Exception):\n    def __str__(self):\n        raise RuntimeError\nraise Mute\n",
        "Mute (line 4)",
    ),
    "endless recursion": ("def f():\n    f()\nf()\n", "RecursionError: maximum recursion depth exceeded (line 2)"),
    "an end of the program": ("import sys\nsys.exit(0)\n", "SystemExit: 0 (line 2)"),
    "an exception of the interpreter's": ("raise GeneratorExit\n", "GeneratorExit (line 1)"),
    "one that is no Exception": ("class Odd(BaseException):\n    pass\nraise Odd('x')\n", "Odd: x (line 3)"),
    "warnings that are errors": (
        "import warnings\nwarnings.simplefilter('error')\nwarnings.warn('bad day')\n",
        "UserWarning: bad day (line 3)",
    ),
    "a namespace that raises": ("def __dir__():\n    raise RuntimeError('dir')\n", "RuntimeError: dir (line 2)"),
}
HOOKS = {
    "a hook that raises": (hook("heuristic", "raise LookupError('x')"), "searchlab_heuristics failed: LookupError: x"),
    "a hook that fails half way": (
        hook("frontier", "yield Frontier('never-seen', lambda g, h: g)\nraise OSError('gone')"),
        "searchlab_frontiers failed: OSError: gone (line 6)",
    ),
    "a hook that exits": (hook("heuristic", "raise SystemExit(0)"), "searchlab_heuristics failed: SystemExit: 0"),
    "a hook that returns None": (
        hook("domain", "return None"),
        "searchlab_domains returned None; a hook returns",
    ),
    "a hook that returns a dict": (
        hook("heuristic", "return {'a': len}"),
        "returned dict {'a': <built-in function",
    ),
    "a hook that returns one": (
        hook("heuristic", "return Heuristic('h', len)"),
        "write yield Heuristic(…)",
    ),
    "a hook without an end": (
        hook("heuristic", "while True:\n    yield Heuristic('h', len)"),
        "searchlab_heuristics failed: yields more than 10,000 components: does it ever end?",
    ),
    "an async hook": (
        f"{IMPORTS}@hookimpl\nasync def searchlab_heuristics():\n    return []\n",
        "searchlab_heuristics is an async function",
    ),
    "a misspelt hook": (f"{IMPORTS}@hookimpl\ndef searchlab_heuristic():\n    return []\n", "did you mean"),
    "a hook with an argument": (
        f"{IMPORTS}@hookimpl\ndef searchlab_heuristics(domain):\n    return []\n",
        "PluginValidationError",
    ),
    "a thing that cannot be shown": (
        hook("heuristic", "class Mute:\n    def __repr__(self):\n        raise RuntimeError\nyield Mute()"),
        "searchlab_heuristics returned Mute <Mute>, not a Heuristic",
    ),
    "warnings made errors in a hook": (
        hook("heuristic", "import warnings\nwarnings.simplefilter('error')\nyield 3"),
        "searchlab_heuristics returned int 3, not a Heuristic",
    ),
}
BOARD_FUNCTIONS = "lambda b: [], lambda b: True"
FIELDS = {
    "a function that is none": (
        heuristic("'h', 5"),
        "function is 5, not a function (tiles)",
    ),
    "no function": (heuristic("'h'"), "it needs a function(tiles), or a batch(boards)"),
    "a function of nothing": (heuristic("'h', lambda: 1"), "function is a function (tiles), not <lambda>()"),
    "a class as function": (
        heuristic("'h', Made", "class Made:\n    def __call__(self, tiles):\n        return 1\n"),
        "function is a function (tiles), not Made()",
    ),
    "parameters by position only": (heuristic("'h', lambda tiles, k=1, /: k"), "function is given k by its name"),
    "domains as a text": (heuristic("'h', len, domains='2048'"), "domains is a set of names, not the text '2048'"),
    "domains that are no names": (heuristic("'h', len, domains={5}"), "domains is a set of names, not {5}"),
    "no domains": (heuristic("'h', len, domains=None"), "domains is a set of names, not None"),
    "a name that is a number": (heuristic("5, len"), "Heuristic 5: a name is a text without any of"),
    "a name in lines": (heuristic("'a\\nb', len"), "a name is a text without any of"),
    "a name with a mark": (heuristic("'a:b', len"), "a name is a text without any of"),
    "aliases as a text": (heuristic("'h', len, aliases='xy'"), "aliases is a tuple of names, not the text 'xy'"),
    "no aliases": (heuristic("'h', len, aliases=None"), "aliases is a tuple of names, not None"),
    "a summary that is none": (heuristic("'h', len, summary=None"), "summary is a text, not None"),
    "a claim that is a text": (
        heuristic("'h', len, admissible='no'"),
        "admissible is True, False or a function of its parameters, not",
    ),
    "an unknown preference": (heuristic("'h', len, prefer='up'"), "prefer is one of low, high, not 'up'"),
    "a single parameter": (
        heuristic("'h', len, parameters=Parameter('a', 1)"),
        "parameters is a tuple of Param",
    ),
    "parameters that are texts": (heuristic("'h', len, parameters=('a',)"), "parameters is a tuple of Param"),
    "a parameter without a name": (
        heuristic("'h', len, parameters=(Parameter(5, 1),)"),
        "Parameter 5: a name",
    ),
    "a parameter twice": (
        heuristic("'h', len, parameters=(Parameter('a', 1), Parameter('a', 2))"),
        "the parameter 'a' is declared twice",
    ),
    "choices as a number": (
        heuristic("'h', len, parameters=(Parameter('a', 1, '', 5),)"),
        "choices is a tuple",
    ),
    "a check that is none": (
        heuristic("'h', len, parameters=(Parameter('a', 1, check=5),)"),
        "not a function (value)",
    ),
    "a batch that is none": (heuristic("'h', len, batch=3"), "not a function (boards)"),
    "a packed form that is none": (heuristic("'h', len, packed=3"), "not a function (words)"),
    "successors that are none": (
        domain("5, len"),
        "successors is 5, not a function (board)",
    ),
    "no goal": (domain("len, None"), "Domain 'd': is_goal is None"),
    "rules that ask for what nobody gives": (
        domain("lambda b, x: [], len"),
        "successors asks for 'x', which is not a parameter and has no default",
    ),
    "a start that is no function": (domain(f"{BOARD_FUNCTIONS}, start=5"), "start is 5, not a function ()"),
    "a packed form that is no function": (domain(f"{BOARD_FUNCTIONS}, packed=5"), "not a function (board)"),
    "values that are none": (domain(f"{BOARD_FUNCTIONS}, values=5"), "values is a dict of functions by name, not 5"),
    "a value that is none": (domain(f"{BOARD_FUNCTIONS}, values={{'x': 5}}"), "values['x'] is 5, not"),
    "a default that is no name": (
        domain(f"{BOARD_FUNCTIONS}, defaults=Defaults(heuristic=5)"),
        "heuristic is a text, not 5",
    ),
    "a declaration that is none": (domain(f"{BOARD_FUNCTIONS}, layered='no'"), "layered is True or False, not"),
    "a priority that is none": (frontier("'f', 5"), "Frontier 'f': priority is 5, not a function (g, h)"),
    "a priority of g": (frontier("'f', lambda g: g"), "priority is a function (g, h), not <lambda>(g)"),
    "a priority of three": (frontier("'f', lambda g, h, k: g"), "priority asks for 'k'"),
    "no priority": (frontier("'f'"), "a heap needs a priority(g, h)"),
    "a beam without a width": (frontier("'f', lambda g, h: h, family='beam'"), "a Parameter called width"),
    "an unknown family": (frontier("'f', family='widening'"), "family is one of best-first, deepening, beam"),
    "a guarantee that is none": (frontier("'f', lambda g, h: g, optimal_with=5"), "optimal_with is one of never"),
    "a loop that is none": (frontier("'f', run=5"), "not a function (problem, watch)"),
}
BROKEN = IMPORTING | HOOKS | FIELDS
OTHERS = {
    "a player that is none": ("player", "Player('p', 5)", "Player 'p': function is 5, not a function (board, moves)"),
    "a player of a board": ("player", "Player('p', len)", "function is a function (board, moves), not len(obj, /)"),
    "a player's domains as a text": ("player", "Player('p', max, domains='2048')", "Player 'p': domains is a set"),
    "a player's parameter of no kind": (
        "player",
        "Parameter('of', '', kind='game')",
        "kind is one of '', heuristic, afterstate_heuristic, heuristics, file, command, not 'game'",
    ),
    "a score by name": (
        "generator",
        "Generator('g', len, parameters=(Parameter('of', '', kind='heuristic'),))",
        "Generator 'g': of cannot be the name of a heuristic: only a player's, and those of a heuristic with",
    ),
    "a generator that is none": ("generator", "Generator('g', None)", "function is None, not a function (random)"),
    "a generator of nothing": (
        "generator",
        "Generator('g', lambda: 1)",
        "function is a function (random), not <lambda>()",
    ),
    "an executor that is none": ("executor", "Executor('e', 2)", "function is 2, not a function (workers)"),
    "a metric that is none": ("metric", "Metric('m', 'moves')", "function is 'moves', not a function (result)"),
    "a metric of two": ("metric", "Metric('m', lambda r, k: 1)", "function asks for 'k', which is not a parameter"),
    "a metric of no kind": ("metric", "Metric('m', len, kind='real')", "kind is one of number, whole, text, boolean"),
    "a metric nobody can read": ("metric", "Metric('a\\x07b', len)", "characters only that can be seen"),
    "a metric in lines": ("metric", "Metric('a\\nb', len)", "a name is a text without any of"),
    "a renderer that is none": ("renderer", "Renderer('r', 5)", "function is 5, not a function (board)"),
    "a renderer of a player": ("renderer", "Player('p', max)", "returned Player Player(name='p'"),
}


def write_plugin(folder, name, source):
    path = folder / f"{name}.py"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("source", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_plugin_is_reported_in_one_line(run, folder, source, said):
    """The game is solved, and the line names the file and the fault."""
    (folder / "plugins").mkdir()
    path = write_plugin(folder / "plugins", "mine", source)
    ran = run(*SOLVE, "--plugins-dir", path.parent)
    assert (ran.code, ran.out) == (0, run(*SOLVE).out)
    assert ran.err.count("\n") == 1, ran.err
    assert ran.err.startswith("searchlab: warning: plugin ")
    assert str(path) in ran.err
    assert said in ran.err
    assert len(ran.err) < 1000


NOT_LOADED = (*IMPORTING, "a misspelt hook", "a hook with an argument")


@pytest.mark.parametrize(("source", "said"), [BROKEN[name] for name in NOT_LOADED], ids=NOT_LOADED)
def test_a_file_that_is_named_must_load(run, folder, source, said):
    """Nothing is solved by other heuristics than those that were asked for; the line and the place are shown."""
    path = write_plugin(folder, "mine", source)
    ran = run(*SOLVE, "--plugin", path)
    line, *excerpt = ran.err.splitlines()
    assert (ran.code, ran.out) == (2, "")
    assert line.startswith(f"searchlab: error: {path}: ")
    assert said in line
    assert len(excerpt) in (0, 2)
    assert len(ran.err) < 1000


SYNTAX = "x = 1\nif x:\n\tdef f(:\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--plugin", "mine.py", "solve"),
        ("solve", "--heuristic", "mine.py:f"),
        ("run", "e.toml"),
        ("run", "2048/board10", "--heuristic", "mine.py:f"),
        ("plugins", "list", "--plugin", "mine.py"),
        ("plugins", "check", "mine.py"),
    ],
    ids=" ".join,
)
def test_a_syntax_error_is_shown_with_a_mark(run, write, arguments):
    """Wherever a file is named: an error, and below it the line with a caret."""
    write("mine.py", SYNTAX)
    write("e.toml", 'boards = ["2048/board10"]\nheuristics = ["mine.py:f"]\n')
    ran = run(*arguments)
    line, *excerpt = ran.err.splitlines()
    assert (ran.code, ran.out) == (2, "")
    assert line.startswith("searchlab: error: ")
    assert "mine.py: SyntaxError: invalid syntax (line 3)" in line
    assert excerpt == ["    def f(:", "          ^"]


@pytest.mark.slow
def test_a_folder_full_of_broken_plugins(process, folder):
    """Each is one line, and a board is solved; `plugins list --failed` says the same on standard output."""
    ill = folder / "ill"
    ill.mkdir()
    for number, (source, _) in enumerate(BROKEN.values()):
        write_plugin(ill, f"plugin_{number}", source)
    ran = process("--plugins-dir", ill, "solve", "2048/board10", "--moves-only", "--engine", "readable")
    assert (ran.returncode, ran.stdout) == (0, "down down down\n")
    lines = ran.stderr.splitlines()
    assert len(lines) == len(BROKEN)
    assert all(line.startswith("searchlab: warning: plugin ") for line in lines)
    listed = process("--plugins-dir", ill, "plugins", "list", "--failed")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert sorted(listed.stdout.splitlines()) == sorted(line.removeprefix("searchlab: warning: ") for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "made", "said"), OTHERS.values(), ids=OTHERS.keys())
def test_invalid_components_of_all_kinds_are_reported(run, folder, kind, made, said):
    """When they are first used; the game is solved."""
    path = write_plugin(folder, "mine", hook(kind, f"yield {made}"))
    ran = run(*SOLVE, "--plugin", path)
    assert (ran.code, ran.out) == (0, run(*SOLVE).out)
    listed = run("plugins", "list", "--failed", "--plugin", path)
    assert (listed.code, listed.err) == (0, "")
    assert listed.out.count("\n") == 1
    assert str(path) in listed.out
    assert said in listed.out


METADATA = {
    "no metadata": None,
    "metadata that say nothing": b"",
    "metadata in another encoding": b"Metadata-Version: 2.1\nName: \xff\xfe\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("metadata", METADATA.values(), ids=METADATA.keys())
def test_distributions_that_are_broken(process, folder, metadata):
    """The same as installed: named by the distribution, by the folder of its metadata where these do not say."""
    site = folder / "site"
    site.mkdir()
    modules = {f"ill_{number}": source for number, (source, _) in enumerate((IMPORTING | HOOKS).values())}
    for name, source in modules.items():
        write_plugin(site, name, source)
        _install(site, name, f"{name} = {name}\n", metadata)
    odd = ["empty =\n", "relative = .ill\n", "spaces = no such module\n", "deep = ill_0.nothing:at.all\n", "none\n"]
    for number, line in enumerate(odd):
        _install(site, f"odd_{number}", line, metadata)
    ran = _with_site(process, site, "solve", "2048/board10", "--moves-only", "--engine", "readable")
    assert (ran.returncode, ran.stdout) == (0, "down down down\n")
    lines = ran.stderr.splitlines()
    assert len(lines) == len(modules) + len(odd) - 1, ran.stderr
    assert all(line.startswith("searchlab: warning: plugin ") for line in lines)
    named = {line.removeprefix("searchlab: warning: plugin ").split()[0] for line in lines}
    if metadata != METADATA["metadata in another encoding"]:
        assert named == {*modules, *(f"odd_{number}" for number in range(len(odd) - 1))}


def _install(site, name, line, metadata):
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(f"[searchlab]\n{line}")
    if metadata is not None:
        (info / "METADATA").write_bytes(metadata)


def _with_site(process, site, *arguments):
    return process(*arguments, env={**os.environ, "PYTHONPATH": str(site)})


def test_entry_points_that_cannot_be_read(process, folder):
    """A folder, bytes, or lines without a section where the file should be: there is no plugin in it."""
    site = folder / "site"
    for name, content in {"folder": None, "bytes": b"\xff\xfe[searchlab]\xff", "lines": b"= =\n[searchlab\n"}.items():
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        if content is None:
            (info / "entry_points.txt").mkdir()
        else:
            (info / "entry_points.txt").write_bytes(content)
    ran = _with_site(process, site, *SOLVE)
    assert (ran.returncode, ran.stderr) == (0, "")


HARMFUL = {
    "prints": "print('hello')",
    "closes standard output": "import sys; sys.stdout.close()",
    "takes standard output away": "import sys; sys.stdout = None",
    "goes to another folder": "import os; os.chdir('/')",
    "makes warnings errors": "import warnings; warnings.simplefilter('error')",
    "silences warnings": "import warnings; warnings.simplefilter('ignore'); warnings.showwarning = None",
}


@pytest.mark.parametrize("where", ["import", "hook"])
@pytest.mark.parametrize("code", HARMFUL.values(), ids=HARMFUL.keys())
def test_changes_of_the_process_by_a_plugin_are_undone(run, board10_file, folder, code, where):
    """Output, the current folder and warnings work normally."""
    source = code if where == "import" else hook("heuristic", f"{code}\nreturn []")
    path = write_plugin(folder, "mine", source)
    (folder / "plugins").mkdir()
    write_plugin(folder / "plugins", "other", "1 / 0")
    named = ("--plugin", path, "--plugins-dir", folder / "plugins")
    ran = run(*named, "solve", board10_file, "--moves-only", "--engine", "readable")
    assert (ran.code, ran.out) == (0, "down down down\n")
    told = [line for line in ran.err.splitlines() if "other.py: ZeroDivisionError" in line]
    assert len(told) == 1
    assert ("hello" in ran.err) == ("hello" in code)


def test_names_that_are_taken_leave_the_defaults_alone(run, folder):
    """A plugin that claims every name of ours stops nobody who names nothing; who names one is asked which is meant."""
    names = "for name in ('left-weighted', 'moves-to-go'):\n    yield Heuristic(name, len)"
    games = f"for name in ('2048', 'sliding-tile'):\n    yield Domain(name, {BOARD_FUNCTIONS})"
    orders = "for name in ('greedy', 'astar'):\n    yield Frontier(name, lambda g, h: g)"
    sources = (hook("heuristic", names), hook("domain", games), hook("frontier", orders))
    path = write_plugin(folder, "claims", "\n".join(sources))
    assert run(*SOLVE, "--plugin", path) == run(*SOLVE)
    error = run(*SOLVE, "--plugin", path, "--heuristic", "left-weighted").error
    assert "claimed twice" in error
    assert "searchlab/left-weighted" in error
    assert "claims/left-weighted" in error


def test_no_file_can_pass_for_searchlab(run, folder):
    """Its names would be those of ours, written in full."""
    path = write_plugin(folder, "searchlab", hook("domain", f"yield Domain('2048', {BOARD_FUNCTIONS})"))
    assert "searchlab.py cannot be told from searchlab itself: rename it" in run(*SOLVE, "--plugin", path).error


def test_ctrl_c_while_a_plugin_is_imported_ends_the_program(run, folder):
    """That is the user's wish, not a fault of the plugin."""
    assert run(*SOLVE, "--plugin", write_plugin(folder, "slow", PRESSES_CTRL_C)).code == 130


def test_a_failed_import_leaves_no_module(run, folder):
    before = set(sys.modules)
    run(*SOLVE, "--plugin", write_plugin(folder, "mine", "1 / 0"))
    assert not [name for name in set(sys.modules) - before if name.endswith(".mine")]
