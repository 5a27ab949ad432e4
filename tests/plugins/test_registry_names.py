"""Names: unique within their kind, told apart by their plugin, or those of functions in a file."""

from pathlib import Path

import numpy as np
import pytest

import searchlab as sl
from searchlab.binding.names import parse_name
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.found import full_name

FOLDER = Path(__file__).parents[1] / "plugin_files"
ALL = list(COMPONENT_TYPES)


def file(stem):
    return FOLDER / f"{stem}.py"


def host(*stems):
    """A host with the installed plugins and these files."""
    return sl.Plugins([file(stem) for stem in stems])


def names(plugins, kind):
    return [item.component.name for item in plugins.all(kind)]


def found(plugins, kind, name):
    return plugins.get(kind, parse_name(name))


@pytest.mark.parametrize(("kind", "name"), [("frontier", "greedy"), ("heuristic", "weighted")])
def test_a_name_claimed_twice_is_refused_with_both_sources(kind, name):
    """`plugin/name` tells them apart, for a name and for an alias; other names are unaffected."""
    plugins = host("claims_names")
    ours = found(plugins, kind, f"searchlab/{name}")
    theirs = found(plugins, kind, f"claims_names/{name}")
    assert (ours.plugin.name, theirs.plugin.name) == ("searchlab", "claims_names")
    with pytest.raises(sl.UsageError) as raised:
        found(plugins, kind, name)
    assert str(raised.value) == (
        f"{kind} {name!r} is claimed twice: say which, searchlab/{name} ({ours.plugin.file}) "
        f"and claims_names/{name} ({file('claims_names')})"
    )
    assert found(plugins, "frontier", "astar")


def test_two_files_may_claim_a_name():
    """As long as nobody asks for it without saying which."""
    plugins = host("left_heavy", "claims_names")
    assert found(plugins, "heuristic", "left_heavy/left-heavy").plugin.name == "left_heavy"
    with pytest.raises(sl.UsageError, match=r"left_heavy/left-heavy .* and claims_names/left-heavy"):
        found(plugins, "heuristic", "left-heavy")


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("frontier", "gredy", "no frontier is called 'gredy': did you mean 'greedy'? There are "),
        ("heuristic", "taxicub", "no heuristic is called 'taxicub': did you mean 'taxicab'? There are "),
        ("heuristic", "manhatan", "no heuristic is called 'manhatan': did you mean 'manhattan'"),
        ("domain", "chess", "no domain is called 'chess': there are 2048"),
        ("frontier", "searchlap/greedy", "plugin 'searchlap' brings no frontier 'greedy': did you mean 'searchlab'"),
        ("heuristic", "some/where.py", "a heuristic in a file is named with its function: some/where.py:FUNCTION"),
        ("heuristic", "greedy", "no heuristic is called 'greedy'"),
    ],
)
def test_an_unknown_name_is_refused_with_suggestions(kind, name, message):
    """The nearest names come first."""
    with pytest.raises(sl.UsageError) as raised:
        found(sl.Plugins(), kind, name)
    assert str(raised.value).startswith(message)
    assert str(raised.value).endswith("; --plugin FILE.py loads a file of yours") == (name in ("chess", "greedy"))


def test_an_unknown_name_is_answered_with_a_file_that_registers_nothing(tmp_path):
    """It has the component, and its author forgot the line that registers it."""
    file = tmp_path / "forgot.py"
    file.write_text("from searchlab import Heuristic, plugin\nplugin(Heuristic('mine', lambda tiles: 0))\n")
    with pytest.raises(sl.UsageError) as raised:
        found(sl.Plugins([file]), "heuristic", "mine")
    assert str(raised.value).endswith("; forgot.py registers nothing: write hooks = plugin(…) with its components")


def test_the_error_about_an_omitted_component_states_the_reason(tmp_path):
    """The warning does, too."""
    (tmp_path / "pegs.py").write_text(
        "from searchlab import Generator, hookimpl\n"
        "@hookimpl\ndef searchlab_generators():\n    yield Generator('pegs', lambda n=3: n)\n"
    )
    plugins = sl.Plugins()
    plugins.load_file(tmp_path / "pegs.py")
    with pytest.raises(
        sl.UsageError, match=r"generator 'pegs' was left out: plugin pegs .* has n where random is given"
    ):
        found(plugins, "generator", "pegs")


def test_the_name_of_a_file_is_answered_with_its_functions(tmp_path, monkeypatch):
    """The file is not run; a folder is called a folder."""
    monkeypatch.chdir(tmp_path)
    functions = "def mono(tiles): ...\ndef _own(): ...\ndef more(tiles): ...\n"
    (tmp_path / "mono.py").write_text(f"import os\n1 / 0\n{functions}")
    (tmp_path / "handed-in").mkdir()
    (tmp_path / "handed-in" / "anna.py").write_text("def (")
    for name, message in {
        "mono": "no heuristic is called 'mono'; a function in the file is named mono.py:mono or mono.py:more",
        "mono.py": "a heuristic in a file is named with its function: mono.py:mono or mono.py:more",
        "handed-in": "no heuristic is called 'handed-in'; it is a folder: name a file in it, such as handed-in/anna.py",
        "handed-in/anna": (
            "no heuristic is called 'handed-in/anna'; a function in the file is named handed-in/anna.py:FUNCTION"
        ),
    }.items():
        with pytest.raises(sl.UsageError) as raised:
            found(sl.Plugins(), "heuristic", name)
        assert str(raised.value) == message


def test_the_name_of_a_file_that_registers_components_is_answered_with_how_to_load_it(tmp_path, monkeypatch):
    """A domain is not named with one of its functions if the file registers it."""
    monkeypatch.chdir(tmp_path)
    source = (
        "from searchlab import Domain, Heuristic, plugin\n"
        "def successors(board): ...\n"
        "def steps(tiles): return 0\n"
        "hooks = plugin(Domain('rivers', successors, len), Heuristic('wet', steps))\n"
    )
    (tmp_path / "river.py").write_text(source)
    (tmp_path / "creek.py").write_text("def successors(board): ...\ndef steps(tiles): ...\n")
    advice = (
        "to use what river.py registers, add --plugin river.py (in Python: plugins=searchlab.Plugins(['river.py']))"
    )
    named = "a function in the file is named river.py:successors or river.py:steps"
    for kind, name, message in (
        ("domain", "river", f"no domain is called 'river'; {advice}"),
        ("domain", "river.py", f"a domain in a file is named with its function: river.py:successors; {advice}"),
        ("heuristic", "river", f"no heuristic is called 'river'; {named}; {advice}"),
        ("domain", "creek", "no domain is called 'creek'; a function in the file is named creek.py:successors"),
    ):
        with pytest.raises(sl.UsageError) as raised:
            found(sl.Plugins(), kind, name)
        assert str(raised.value) == message
    for kind, brought in (("domain", "rivers"), ("heuristic", "wet")):
        with pytest.raises(sl.UsageError) as raised:
            found(sl.Plugins(["river.py"]), kind, "river")
        assert str(raised.value) == f"no {kind} is called 'river'; river.py, which is loaded, brings {brought}"


def test_a_function_in_a_file_is_a_heuristic():
    """Its docstring is the summary, and it promises nothing."""
    item = found(sl.Plugins(), "heuristic", f"{file('everything')}:largest")
    assert (item.component.name, item.component.summary) == ("largest", "Return the largest tile.")
    assert (item.component.prefer, item.component.admissible, item.plugin.name) == ("low", False, "everything")


@pytest.mark.parametrize("name", ["left-heavy", "left_heavy"])
def test_a_component_of_a_file_is_found_by_its_name_or_function(name):
    item = found(sl.Plugins(), "heuristic", f"{file('left_heavy')}:{name}")
    assert (item.component.name, item.component.prefer) == ("left-heavy", "high")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        *[("A*", "astar"), ("wastar", "weighted-astar"), ("WA*:weight=3", "weighted-astar"), ("GBFS", "greedy")],
        *[("bfs", "breadth-first"), ("dfs", "depth-first"), ("UCS", "uniform-cost"), ("IDA*", "ida-star")],
        ("searchlab/Greedy", "greedy"),
    ],
)
def test_case_does_not_count_and_strategies_have_their_usual_names(written, name):
    """The plugin declares its aliases."""
    assert sl.frontier(written).name == name


def test_names_that_differ_only_in_case_are_distinguished(tmp_path):
    """Any other spelling is ambiguous."""
    (tmp_path / "mine.py").write_text(
        "from searchlab import Heuristic, hookimpl\n"
        "@hookimpl\n"
        "def searchlab_heuristics():\n"
        "    yield Heuristic('Near', lambda tiles: 1.0)\n"
        "    yield Heuristic('near', lambda tiles: 2.0)\n"
    )
    plugins = sl.Plugins([tmp_path / "mine.py"])
    assert [found(plugins, "heuristic", name).component.name for name in ("near", "Near")] == ["near", "Near"]
    with pytest.raises(sl.UsageError, match=r"^heuristic 'NEAR' may be 'Near' or 'near': say which, in upper and low"):
        found(plugins, "heuristic", "NEAR")


def test_only_components_for_the_domain_are_suggested():
    """At most twelve names are listed, the nearest first."""
    with pytest.raises(
        sl.UsageError,
        match=r"'snak': there are euclidean, linear-conflict, max, misplaced, pattern-database, sum, taxicab, walk",
    ):
        sl.heuristic("snak", domain="sliding-tile")
    with pytest.raises(sl.UsageError, match=r"there are left-weighted(, [\w-]+){11} and \d+ more;"):
        sl.Plugins().find(parse_name("left"))


@pytest.mark.parametrize(("kind", "name"), [("domain", "crepe"), ("frontier", "sideways")])
def test_components_of_all_kinds_are_found_in_files(kind, name):
    assert found(sl.Plugins(), kind, f"{file('everything')}:{name}").plugin.name == "everything"


def test_a_function_in_a_file_is_a_player_if_one_is_expected(tmp_path):
    """The names of its arguments do not matter; components of hooks keep their kind."""
    (tmp_path / "mine.py").write_text("def last(position, options):\n    'The last.'\n    return options[-1].action\n")
    bare = found(sl.Plugins(), "player", f"{tmp_path / 'mine.py'}:last").component
    assert (bare.name, bare.summary, bare.domains) == ("last", "The last.", frozenset())
    assert found(sl.Plugins(), "player", f"{file('everything')}:top").component.name == "topple"


@pytest.mark.parametrize(
    ("name", "kinds", "kind"),
    [
        ("topple", ALL, "player"),
        ("top", ALL, "player"),
        ("top", ["heuristic", "player"], "player"),
        ("largest", ALL, "heuristic"),
        ("creases", ALL, "heuristic"),
        ("sideways", ALL, "frontier"),
        ("effort", ALL, "metric"),
        ("pile", ALL, "renderer"),
    ],
)
def test_the_kind_of_a_name_in_a_file_is_found(name, kinds, kind):
    """It follows from the hooks, or else from the arguments."""
    (found,) = sl.Plugins().find(parse_name(f"{file('everything')}:{name}"), kinds)
    assert found.kind == kind


@pytest.mark.parametrize(
    ("name", "kinds", "said"),
    [
        ("largest", ["player"], "a player is a function (board, moves), not largest(tiles)"),
        ("top", ["heuristic"], "a heuristic is a function (tiles), not top(board, moves)"),
        ("nothing", ALL, "has no heuristic 'nothing'"),
        ("nothing", ["frontier"], "has no frontier 'nothing'"),
        ("largest", ["metric"], "has no metric 'largest': there is only effort"),
    ],
)
def test_a_name_in_a_file_of_another_kind_is_refused(name, kinds, said):
    """A missing name is refused, too."""
    with pytest.raises(sl.UsageError) as raised:
        sl.Plugins().find(parse_name(f"{file('everything')}:{name}"), kinds)
    assert said in str(raised.value)


def test_naming_a_file_claims_no_names():
    """The other components of the file are neither listed nor in conflict with others."""
    plugins = sl.Plugins()
    before = names(plugins, "frontier"), names(plugins, "heuristic")
    assert found(plugins, "heuristic", f"{file('claims_names')}:flat")
    assert (names(plugins, "frontier"), names(plugins, "heuristic")) == before
    assert found(plugins, "frontier", "greedy").plugin.name == "searchlab"


def test_a_file_loaded_as_a_plugin_is_not_loaded_again():
    """The name of a function in it finds the same module."""
    plugins = host("left_heavy")
    (loaded,) = [item for item in plugins.all("heuristic") if item.plugin.name == "left_heavy"]
    named = found(plugins, "heuristic", f"{file('left_heavy')}:left-heavy")
    assert named.component is loaded.component


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (f"{file('left_heavy')}:left_havy", "has no heuristic 'left_havy': did you mean 'left_heavy' or 'left-heavy'"),
        (f"{file('not_there')}:f", "not_there.py: no such file"),
        (f"{file('fails_on_import')}:f", r"fails_on_import.py: JSONDecodeError: .* \(line 5\)"),
        (f"{file('misspells_a_hook')}:f", "misspells_a_hook.py: searchlab_heuristic is not a hook"),
    ],
)
def test_an_unavailable_function_is_refused(name, message):
    """The error names the file and the fault; it is raised again at the next call."""
    plugins = sl.Plugins()
    for _ in range(2):
        with pytest.raises(sl.UsageError, match=message):
            found(plugins, "heuristic", name)
    assert plugins.problems == []


def test_a_function_of_the_tiles_is_no_frontier():
    """What a function has to be called with to be one is said."""
    with pytest.raises(
        sl.UsageError, match=r"everything.py: a frontier is a function \(g, h\), .*, not largest\(tiles"
    ):
        found(sl.Plugins(), "frontier", f"{file('everything')}:largest")


@pytest.fixture
def edited(tmp_path):
    """A function that writes a file and one that it imports, and returns the value of the heuristic there."""

    def edited(factor, offset, plugins):
        mine, helper = tmp_path / "mine.py", tmp_path / "helper.py"
        for path, text in (
            (mine, f"from .helper import OFFSET\ndef h(tiles):\n    return {factor} * tiles[0, 0] + OFFSET\n"),
            (helper, f"OFFSET = {offset}\n"),
        ):
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        return found(plugins, "heuristic", f"{mine}:h").component.function(np.array([[2, 0]]))

    return edited


def test_an_edited_file_of_a_name_is_loaded_again(edited):
    """So is a file that it imports, even after edits of equal size within a second."""
    plugins = sl.Plugins()
    assert [edited(*values, plugins) for values in ((1, 0), (2, 0), (3, 0), (3, 5), (30, 5))] == [2, 4, 6, 11, 65]
    assert edited(1, 1, sl.Plugins()) == 3


def test_an_edit_with_an_error_is_reported_until_it_is_corrected(edited):
    plugins = sl.Plugins()
    assert edited(1, 0, plugins) == 2
    for _ in range(2):
        with pytest.raises(sl.UsageError, match=r"NameError: name 'typo' is not defined"):
            edited(1, "typo", plugins)
    assert edited(1, 7, plugins) == 9


def test_a_file_that_is_not_edited_is_loaded_once(edited, tmp_path):
    """And a registry that does not reread, as that of a worker, keeps what it has."""
    plugins, keeps = sl.Plugins(), sl.Plugins(rereads=False)
    assert edited(1, 0, plugins) == edited(1, 0, keeps) == 2
    first = found(plugins, "heuristic", f"{tmp_path / 'mine.py'}:h").plugin
    assert found(plugins, "heuristic", f"{tmp_path / 'mine.py'}:h").plugin is first
    assert (edited(4, 0, plugins), edited(4, 0, keeps)) == (8, 2)


PLUGIN = (Path(__file__).parents[1] / "plugin_files" / "left_heavy.py").read_text()


@pytest.fixture
def namesakes(tmp_path):
    """A host with two files of one name that bring a heuristic of one name."""
    files = [tmp_path / folder / "mine.py" for folder in "ab"]
    for file in files:
        file.parent.mkdir()
        file.write_text(PLUGIN)
    return sl.Plugins(files)


@pytest.mark.parametrize("kind", COMPONENT_TYPES)
def test_a_component_is_found_by_its_full_name(kind, namesakes):
    """Every component is found by its full name."""
    registered = namesakes.all(kind)
    for item in registered:
        assert namesakes.get(kind, parse_name(full_name(item, registered))).component is item.component


def test_a_full_name_has_the_plugin_or_else_the_file(namesakes, tmp_path):
    """The file only where plugin and name are not enough."""
    registered = namesakes.all("heuristic")
    full = [full_name(item, registered) for item in registered]
    assert full[-2:] == [f"{tmp_path / folder / 'mine.py'}:left-heavy" for folder in "ab"]
    assert "searchlab/taxicab" in full


def test_namesakes_are_refused_with_names_that_work(namesakes):
    """What the error says to write can be written."""
    for name in ("left-heavy", "mine/left-heavy"):
        with pytest.raises(sl.UsageError, match="claimed twice: say which, ") as raised:
            namesakes.get("heuristic", parse_name(name))
        for source in str(raised.value).partition("which, ")[2].split(" and "):
            assert namesakes.get("heuristic", parse_name(source.partition(" (")[0]))
