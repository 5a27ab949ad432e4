"""What the README and other documents say is so: their code runs, their commands work, their links are whole.

The code and the commands, a minute of two cores, run with `--docs`.
"""

import importlib.util
import inspect
import io
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path
from threading import TIMEOUT_MAX
from xml.etree import ElementTree

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.experiments import progress
from searchlab.experiments.runs import GAMES
from searchlab.experiments.specification import TABLES
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.model.results import STATUSES
from searchlab.plugins import hookspecs
from searchlab.plugins.hookspecs import HOOKS
from searchlab.testing.contract import PROPERTIES

ROOT = Path(__file__).parents[1]
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SKILL.md",
        *sorted((ROOT / "docs").glob("**/*.md")),
    )
}
DOCUMENTS = tuple(TEXTS)
PLUGINS, SEARCHES, EXPERIMENTS = "docs/plugins.md", "docs/searches.md", "docs/experiments.md"
EXAMPLES = ROOT / "docs" / "examples"
SET_UP_COMMANDS = 2


def blocks(document, language):
    """Return the code blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXTS[document], re.MULTILINE | re.DOTALL)


def file_name(block):
    """Return the name of the file that a block's first line says it is, an empty text without one."""
    named = re.match(r"# ([\w/-]+\.(?:py|toml|txt))\n", block)
    return named.group(1) if named else ""


def shell_blocks(document):
    """Return the lines of each shell block; the README's blocks are one tour, which begins after the set-up."""
    found = [[line for line in block.replace("\\\n", "").splitlines() if line] for block in blocks(document, "sh")]
    return [[*chain.from_iterable(found[SET_UP_COMMANDS:])]] if document == "README.md" else found


TOLD_FIRST = re.compile(
    r"searchlab: (students' files run .+|"
    r"needs up to .+ of memory|several threads learn at once: .+|these are pictures, .+)\n"
)
"""What commands tell that is no complaint: train and grade before they begin, and boards generate of pictures."""
SHELL_BLOCKS = [
    pytest.param(document, lines, id=f"{document}-{number}-{lines[0]}")
    for document in DOCUMENTS
    for number, lines in enumerate(shell_blocks(document), 1)
]


def shown_outputs(document):
    """Yield each command of the document's console blocks, and the lines below it, if there are any."""
    for block in blocks(document, "console"):
        for part in block.split("$ searchlab ")[1:]:
            command, *shown = part.splitlines()
            if shown:
                yield command, shown


SHOWN_OUTPUTS = [
    pytest.param(document, command, shown, id=f"{document}-{command}")
    for document in DOCUMENTS
    if document.startswith(("docs/domains/", "docs/exact"))  # others show figures of a machine
    for command, shown in shown_outputs(document)
]


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """A function that returns a folder with the files a document tells its readers to write, and the boards."""
    folders = {}

    def folder_of(document):
        if document not in folders:
            folders[document] = folder = tmp_path_factory.mktemp(Path(document).stem)
            shutil.copytree(ROOT / "boards" / "2048", folder / "boards" / "2048")
            shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples")
            shutil.copytree(ROOT / "experiments", folder / "experiments")
            for example in EXAMPLES.iterdir():
                if example.suffix != ".py" and example.is_file():
                    shutil.copy(example, folder)
            shown = chain.from_iterable(blocks(document, language) for language in ("python", "toml", "text"))
            for block in filter(file_name, shown):
                file = folder / file_name(block)
                file.parent.mkdir(exist_ok=True)
                file.write_text(block, encoding="utf-8")
        return folders[document]

    return folder_of


@pytest.fixture(scope="module")
def place_for(tmp_path_factory, folder_of):
    """A function that makes the files of a document anew, always in the same folder.

    What is compiled from a file is known by its path, too, so that it is compiled once for all tests.
    """
    place = tmp_path_factory.mktemp("place") / "folder"

    def place_for(document):
        shutil.rmtree(place, ignore_errors=True)
        return shutil.copytree(folder_of(document), place)

    return place_for


def test_an_example_is_the_file_that_is_shown():
    """Tests use what readers are told to write: each example that begins with its name as a comment."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}
    examples = {name: text for name, text in texts.items() if file_name(text)}
    shown = {file_name(block): block for document in DOCUMENTS for block in blocks(document, "python")}
    assert examples
    assert {name: shown.get(name) for name in examples} == examples


@pytest.mark.docs
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_python_blocks_run(document, place_for, monkeypatch):
    """The Python blocks of a document run in order, in one namespace, and warn of nothing."""
    folder = place_for(document)
    monkeypatch.chdir(folder)
    namespace = {"__name__": "document"}
    for number, block in enumerate(blocks(document, "python"), 1):
        name = file_name(block)
        code = compile(block, str(folder / name) if name else f"{document}, Python block {number}", "exec")
        exec(code, namespace)


@pytest.mark.docs
@pytest.mark.parametrize(("document", "lines"), SHELL_BLOCKS)
def test_the_commands_work(document, lines, place_for, monkeypatch, capsys):
    """The lines of a block succeed one after another where the files of its document are, and complain of nothing."""
    monkeypatch.chdir(place_for(document))
    monkeypatch.setattr(progress, "EVERY", TIMEOUT_MAX)  # how far an experiment is is no complaint
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))  # nobody asks `engine`
    printed = []
    for line in lines:
        program, *arguments = shlex.split(re.sub(r"\s#.*", "", line))  # in a shell `maze.scen#4` is one word
        if program == "python":
            command = [sys.executable, *arguments]
            assert subprocess.run(command, capture_output=True, check=False).returncode == 0, line
            continue
        assert program == "searchlab"
        if "--browser" in arguments:
            serve_for_a_moment(arguments)
            continue
        if arguments == ["warm-up"]:
            continue  # a minute or two of compiling what tests/testing compiles, too; see tests/cli/test_warm_up.py
        code = main(arguments)
        said = capsys.readouterr()
        complaints = TOLD_FIRST.sub("", said.err)
        assert (code, complaints) == (0, ""), line
        assert said.out or "--output" in arguments or arguments[0] == "engine"  # which waits to be asked
        printed.append(said.out)
    if document == "README.md":
        shown = [line for block in blocks(document, "text") for line in without_figures(block).splitlines()]
        real = without_figures("".join(printed))
        assert [line for line in shown if line.removesuffix("…").rstrip() not in real] == []


@pytest.mark.docs
@pytest.mark.parametrize(("document", "command", "shown"), SHOWN_OUTPUTS)
def test_documented_commands_print_what_the_docs_show(document, command, shown, place_for, monkeypatch, capsys):
    """To the letter."""
    monkeypatch.chdir(place_for(document))
    monkeypatch.setenv("COLUMNS", "80")
    assert main(shlex.split(command)) == 0
    said = capsys.readouterr()
    assert ([line.rstrip() for line in said.out.splitlines()], said.err) == (shown, "")


TUTORIALS = [document for document in DOCUMENTS if document.startswith("docs/tutorials/")]


def steps(document):
    """Yield what a tutorial tells its readers to do, in order: a file and its text, or a command and what is shown."""
    for language, block in re.findall(
        r"^```(python|toml|console)\n(.*?)^```$", TEXTS[document], re.MULTILINE | re.DOTALL
    ):
        if language != "console":
            yield file_name(block), block
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = re.sub(r"\\\n", "\0", part).partition("\n")
            yield command.replace("\0", "\\\n"), shown


@pytest.mark.docs
@pytest.mark.parametrize("document", TUTORIALS)
def test_tutorials_show_what_their_commands_print(document, place_for, monkeypatch, capsys, request):
    """Files are written and commands run in order. Figures may differ, and a line … stands for any lines.

    With `--update-docs` the document gets what is printed where it differs.
    """
    monkeypatch.chdir(place_for(document))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(progress, "EVERY", TIMEOUT_MAX)  # how far an experiment is differs from time to time
    text, at, differing = TEXTS[document], 0, []
    for step, shown in steps(document):
        if not step.startswith("searchlab "):
            Path(step).write_text(shown, encoding="utf-8")
            continue
        _, *arguments = shlex.split(step.replace("\\\n", " "))
        code = main(arguments)
        printed = "".join(f"{line.rstrip()}\n" for line in capsys.readouterr().out.splitlines())
        assert code == ("failed" in printed), step
        if not is_shown(printed, shown):
            differing.append((step, printed))
            at = text.index(f"$ {step}\n{shown}", at) + len(f"$ {step}\n")
            text = text[:at] + printed + text[at + len(shown) :]
    if differing and request.config.getoption("--update-docs"):
        (ROOT / document).write_text(text, encoding="utf-8")
    else:
        assert differing == []


@pytest.fixture(scope="module")
def gallery():
    """The script that makes the gallery."""
    spec = importlib.util.spec_from_file_location("regenerate", ROOT / "docs" / "gallery" / "regenerate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GALLERY = [document for document in DOCUMENTS if document.startswith("docs/gallery/") and "index" not in document]


@pytest.mark.docs
@pytest.mark.parametrize("document", GALLERY)
def test_gallery_shows_what_its_experiments_give(document, gallery, tmp_path, monkeypatch):
    """To the letter: no page and no picture shows times. `python docs/gallery/regenerate.py` writes them anew."""
    monkeypatch.setenv("COLUMNS", str(gallery.WIDTH))
    page = Path(document).stem
    assert gallery.regenerate(page, tmp_path) == TEXTS[document]
    for picture in gallery.pictures_of(page):
        assert (tmp_path / picture).read_bytes() == (ROOT / "docs" / "gallery" / picture).read_bytes()
    assert (tmp_path / "site" / "reports" / f"{page}.html").is_file()


def test_gallery_has_eight_experiments(gallery):
    """Each has a page that shows its file, a picture that its commands draw, and a place in the index."""
    index = TEXTS["docs/gallery/index.md"]
    assert len(gallery.PAGES) == 8
    assert sorted(re.findall(r"^\[!\[[^\]]+\]\(([\w-]+)\.svg\)\]\(\1\.md\)$", index, re.MULTILINE)) == gallery.PAGES
    for page in gallery.PAGES:
        text = gallery.text_of(page)
        title, *_ = text.removeprefix("# ").splitlines()
        assert f"**[{title}]({page}.md)**" in index
        assert f"{{literalinclude}} ../../experiments/{page}.toml" in text
        assert (ROOT / "experiments" / f"{page}.toml").is_file()
        assert f"]({page}.svg)" in text
    drawn = {picture for page in gallery.PAGES for picture in gallery.pictures_of(page)}
    assert {path.name for path in (ROOT / "docs" / "gallery").glob("*.svg")} == drawn
    for picture in drawn:
        text = (ROOT / "docs" / "gallery" / picture).read_text(encoding="utf-8")
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert "prefers-color-scheme:dark" in text
        assert len(text) < 60_000


OF_TWO_COMMANDS = """
```console
$ searchlab run 'sliding-tile/puzzle8-20' --heuristic taxicab \\
    --frontier greedy --workers 1
$ searchlab --version
out of date
```
"""


def test_gallery_is_regenerated_again_with_the_same_outcome(gallery, tmp_path, monkeypatch):
    """What a page shows is replaced, below commands of one line and of several, also where runs were done before."""
    monkeypatch.setattr(gallery, "GALLERY", tmp_path)
    (tmp_path / "two.md").write_text(OF_TWO_COMMANDS, encoding="utf-8")
    first, second = (gallery.regenerate("two", tmp_path / "folder") for _ in range(2))
    assert first == second
    assert "--workers 1\n1 run, all done: solved 1\nresults: " in first
    assert f"--version\nsearchlab {sl.__version__}\n```" in first
    (tmp_path / "wrong.md").write_text("$ searchlab solve nowhere.txt\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"^failed: searchlab solve nowhere\.txt$"):
        gallery.regenerate("wrong", tmp_path / "folder")


def is_shown(printed, shown):
    """Whether a text is the one that is shown, but for figures and blanks, and for any lines in place of a line `…`."""
    shown, printed = (re.sub(" +", " ", without_figures(text)) for text in (shown, printed))
    pattern = "".join("(?:.*\n)*?" if line == "…\n" else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


def without_figures(text):
    """Return a text without the figures, which depend on the machine, their units, and which engine was ready."""
    text = re.sub("(compiled|readable) engine", "… engine", text)
    return re.sub(r"[\d.,]+( ?(k|M|ns|µs|ms|s|KiB|MiB))?\b", "#", text)


def serve_for_a_moment(arguments):
    """Run a command that serves a page until Ctrl-C: it says where, and ends cleanly."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "BROWSER")}
    command = [sys.executable, "-m", "searchlab", *arguments]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        assert "http://127.0.0.1:" in served.stderr.readline()
        served.send_signal(signal.SIGINT)
        served.communicate(timeout=30)
    assert served.returncode in (0, 130)


def set_up_commands():
    """Return the README's first two commands."""
    return [line for block in blocks("README.md", "sh")[:SET_UP_COMMANDS] for line in block.splitlines()]


def test_the_first_command_of_the_readme_solves_a_board(monkeypatch, capsys):
    """It installs searchlab, and ends with the three-move solution of board10."""
    first, _ = set_up_commands()
    *_, install, solve = first.split(" && ")
    assert install.endswith(" -e .")
    program, *arguments = shlex.split(solve)
    assert program == ".venv/bin/searchlab"
    monkeypatch.chdir(ROOT)
    assert Path(arguments[-1]).is_file()
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("solved in 3 moves, optimal\n")


def test_the_second_command_of_the_readme_is_run_by_ci():
    picking = re.search(r"^test_command=.*$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    script = f'{picking.group()}\nprintf "%s" "$test_command"'
    picked = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert picked.stdout == set_up_commands()[1]
    assert picked.stdout.endswith("-m pytest -n auto")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_links_lead_somewhere(document):
    """Every relative link is the path of an existing file, seen from its document."""
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", TEXTS[document])
    relative = [target for target in targets if "://" not in target]
    assert relative or "{" in TEXTS[document]  # what Sphinx puts in place of a directive has links, too
    missing = [target for target in relative if not ((ROOT / document).parent / target).exists()]
    assert missing == []


def anchors(text):
    """Return the anchors that GitHub gives to the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    plain = (re.sub(r"\]\([^)]*\)", "", heading).lower() for heading in headings)
    return {re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_to_headings_lead_somewhere(document):
    for target, anchor in re.findall(r"\]\(([^)#\s:]+\.md|)#([^)\s]+)\)", TEXTS[document]):
        path = (ROOT / document).parent / target if target else ROOT / document
        assert anchor in anchors(path.read_text(encoding="utf-8")), f"{target}#{anchor}"


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented(hook):
    """Each hook stands in the documentation with its exact signature."""
    signature = str(inspect.signature(getattr(hookspecs, hook))).replace("'", "")
    assert f"| `{hook}{signature}` |" in TEXTS[PLUGINS]


@pytest.mark.parametrize(("place", "table"), TABLES.items())
def test_every_key_of_an_experiment_file_is_documented(place, table):
    """docs/experiments.md has a row for each key, those of a table below the table's; a block has those of the file."""
    place = place[1:] if place[:1] == ("runs",) else place
    document = "docs/tuning.md" if place[:1] == ("tune",) else EXPERIMENTS
    rows = re.findall(r"^\| (`[^|]*`) \|", TEXTS[document], re.MULTILINE)
    begins = next(k for k, row in enumerate(rows) if not place or row.strip("`[]") == place[0])
    listed = " ".join(rows[begins:])
    for key in table.__struct_encode_fields__:
        assert f"`{key}`" in listed or f"[{key}]" in listed, key


def test_all_shipped_components_are_listed():
    ours = [item for kind in COMPONENT_TYPES for item in sl.Plugins().all(kind) if item.plugin.name == "searchlab"]
    listed = TEXTS["docs/what-there-is.md"]
    assert [item.component.name for item in ours if f"`{item.component.name}" not in listed] == []


def test_searches_documented_as_missing_do_not_exist():
    """A search that is added leaves the page docs/not-there.md."""
    rows = re.findall(r"^\| (?!search \|)[^|]*\|([^|]*)\|", TEXTS["docs/not-there.md"], re.MULTILINE)
    missing = set(re.findall(r"`([\w-]+)`", " ".join(rows)))
    there = {item.component.name for kind in COMPONENT_TYPES for item in sl.Plugins().all(kind)}
    assert len(missing) >= 10
    assert missing & there == set()


@pytest.mark.parametrize(("kind", "document"), [("domain", "docs/domains/README.md"), ("generator", "docs/hooks.md")])
def test_shipped_domains_and_generators_have_a_row_in_their_tables(kind, document):
    ours = [item.component.name for item in sl.Plugins().all(kind) if item.plugin.name == "searchlab"]
    rows = "".join(row for row in TEXTS[document].splitlines() if row.startswith("|"))
    assert [name for name in ours if not re.search(rf"`{name}[`:]", rows)] == []


def test_every_figure_and_status_is_explained():
    """docs/searches.md has a row for each field of a result and each status."""
    rows = [row for row in TEXTS[SEARCHES].splitlines() if row.startswith("|")]
    words = [*sl.Result.__dataclass_fields__, *STATUSES]
    assert [word for word in words if not any(f"`{word}`" in row for row in rows)] == []


def test_the_glossary_lists_every_status():
    """Of searches and of games, in the row of the word."""
    (row,) = re.findall(r"^\| status \|.*$", TEXTS["docs/glossary.md"], re.MULTILINE)
    assert [status for status in (*STATUSES, *GAMES.statuses) if f"`{status}`" not in row] == []


def test_every_frontier_is_explained():
    """docs/searches.md says of each frontier strategy that ships what it takes first."""
    ours = [item.component.name for item in sl.Plugins().all("frontier") if item.plugin.name == "searchlab"]
    assert [name for name in ours if not re.search(rf"^\| `{name}[`:]", TEXTS[SEARCHES], re.MULTILINE)] == []


def test_the_smallest_plugin_is_the_same_everywhere():
    """A file of one name has one content, whatever document shows it; in a tutorial it changes."""
    shown = {}
    for document in set(DOCUMENTS) - set(TUTORIALS):
        for block in filter(file_name, blocks(document, "python")):
            assert shown.setdefault(file_name(block), block) == block
    assert "my_heuristics.py" in shown


@pytest.mark.parametrize("kind", PROPERTIES)
def test_every_question_of_the_contract_is_explained(kind):
    """docs/writing-plugins.md names each property in the table of its kind."""
    tables = re.split(r"^\| \| an? (\w+)", TEXTS["docs/writing-plugins.md"], flags=re.MULTILINE)
    rows = "".join(row for row in tables[tables.index(kind) + 1].splitlines(keepends=True) if row.startswith("|"))
    assert [asked.name for asked in PROPERTIES[kind] if f"`{asked.name}`" not in rows] == []


@pytest.mark.parametrize("seed", range(5))
def test_both_forms_of_the_pancake_domain_agree(seed, place_for):
    """The domain of the documentation is searched alike by both engines."""
    plugins = sl.Plugins(files=[place_for(PLUGINS) / "pancake.py"])
    results = [
        sl.solve(domain=f"my-pancake:n=7,seed={seed}", frontier="uniform-cost", plugins=plugins, engine=engine)
        for engine in ("compiled", "readable")
    ]
    figures = [(r.status, r.actions, r.optimal, r.expanded, r.generated, r.stored) for r in results]
    assert figures[0] == figures[1]
    assert figures[0][0] == "solved"


def test_the_distribution_shown_has_the_entry_point():
    """The example of a `pyproject.toml` is one, and puts its module into the group that is searched."""
    example = blocks(PLUGINS, "toml")[0]
    project = tomllib.loads(example)
    (module,) = project["project"]["entry-points"][hookspecs.PROJECT].values()
    assert project["tool"]["setuptools"]["py-modules"] == [module]


def test_the_citation_names_the_installed_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [sl.__version__]


@pytest.mark.parametrize("name", sl.__all__)
def test_every_public_name_has_a_docstring(name):
    """Whatever `from searchlab import …` offers says what it is."""
    said = getattr(sl, name).__doc__ or ""
    assert said
    assert not said.startswith(f"{name}(")


def test_pictures_of_plots_equal_those_of_the_script():
    """They are well-formed and small; `python docs/figures/draw.py` draws them."""
    figures = ROOT / "docs" / "figures"
    namespace = runpy.run_path(str(figures / "draw.py"))
    shown = re.findall(r"!\[[^\]]+\]\(figures/(\w+)\.svg\)", TEXTS["docs/plots.md"])
    assert shown == list(namespace["PICTURES"])
    (tour,) = namespace["TOUR"]
    assert f"](../figures/{tour}.svg)" in TEXTS["docs/tutorials/heuristic.md"]
    (network,) = namespace["NEURAL"]
    assert f"](figures/{network}.svg)" in TEXTS["docs/neural-heuristics.md"]
    assert {path.stem for path in figures.glob("*.svg")} == {
        *shown,
        tour,
        network,
        "strength",
    }  # see reports/test_strength.py
    for name in [*shown, tour, network]:
        drawn = (figures / f"{name}.svg").read_text(encoding="utf-8")
        assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
        assert len(drawn) < (150_000 if name == network else 60_000)
