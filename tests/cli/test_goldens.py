"""The exact output of every command: pages, JSON, tables, messages and exit codes.

If a change of the output is intended, `pytest tests/cli/test_goldens.py --update-goldens` writes the files in
tests/golden/commands again, and the commit shows the difference. Times and bytes are masked.
"""

import re
import shlex
from difflib import unified_diff
from pathlib import Path
from threading import TIMEOUT_MAX

import pytest

from searchlab.cli import main
from searchlab.experiments import progress

GOLDEN = Path(__file__).parents[1] / "golden" / "commands"
MASKED = (
    (r"\d[\d.,]*\s?(ns|µs|ms|s|min|h)\b(?!-)", "TIME"),
    (r'"(seconds|cpu_seconds|peak_bytes|worker|finished|moves_per_second)": [^,\n}]+', r'"\1": MASKED'),
    (r"\d[\d.,]* ?(GiB|MiB|kiB|KiB|bytes)\b", "BYTES"),
    (r"\d[\d.,]* ?(k |M )?(nodes|moves|states|games)/s", r"RATE"),
    (r'"versions": \{[^}]*\}', '"versions": MASKED'),
    (r"\d[\d,]* (moves|games|nodes) a second", r"RATE \1 a second"),
    (r"(TIME +)\d[\d.]*( k)?$", r"\1RATE"),
    (r"^(seconds|moves a second) +\d.*$", r"\1 MASKED"),
    (r"\d+\.\d+\.\d+\S*", "VERSION"),
    (r"^.*(TIME|RATE|moves/s).*$", lambda line: " ".join(line[0].split())),  # columns are as wide as what was masked
)
EXPERIMENT = """
name = "golden"
boards = ["sliding-tile/puzzle8-2[01]", "2048/board10"]
heuristics = ["taxicab", "misplaced", "left-weighted"]
frontiers = ["astar", { name = "beam", width = [5, 50] }, "greedy"]

[limits]
expansions = 300
"""
COLUMNS = "board,heuristic,frontier,status,moves,cost,expanded,generated,optimal"
COMMANDS = {
    "help": "--help",
    "version": "--version",
    "no-such-command": "slove",
    "solve": "solve 2048/board10 --heuristic left-weighted",
    "solve-sliding-tile": "solve sliding-tile/puzzle8-20 --frontier astar --heuristic taxicab",
    "solve-json": "solve sliding-tile/example --json",
    "solve-verbose": "solve sliding-tile/puzzle8-20 --frontier beam:width=50 --max-expansions 30",
    "solve-unsolvable": "solve sliding-tile/unsolvable",
    "solve-no-such-heuristic": "solve --heuristic left-wieghted",
    "solve-no-such-board": "solve nowhere.txt",
    "shrink": "shrink sliding-tile/puzzle8-20 --that 'cost[greedy] > cost[astar]'",
    "shrink-json": "shrink sliding-tile/example --that 'moves[astar]>=2' --json",
    "evaluate": "evaluate 2048/board10 2048/start",
    "evaluate-json": "evaluate sliding-tile/example --json",
    "neighbors": "neighbors sliding-tile/example",
    "enumerate": "enumerate 2048/four-tiles --goal 16 --max-expansions 3000",
    "enumerate-json": "enumerate sliding-tile/puzzle8-20 --max-expansions 100 --json",
    "play": "play --player greedy --seed 1 --max-moves 12",
    "play-help": "play --help",
    "play-json": "play --player random --seed 2 --max-moves 12 --json",
    "play-transcript": "play --player expectimax:depth=1 --seed 3 --max-moves 3 --transcript",
    "advise": "advise 2048/board10",
    "advise-json": "advise 2048/board10 --json",
    "boards-show": "boards show sliding-tile/example 2048/board10",
    "boards-generate": "boards generate shuffled:n=3 --count 2 --seed 5",
    "plugins-list": "plugins list",
    "plugins-show": "plugins show taxicab",
    "plugins-show-frontier": "plugins show weighted-astar --json",
    "plugins-which": "plugins which greedy",
    "plugins-new": "plugins new left-tall",
    "run-dry": "run experiment.toml --dry-run --workers 1",
    "run": "run experiment.toml --workers 1",
    "run-again": "run experiment.toml --workers 1",
    "results": f"results results/golden --columns {COLUMNS}",
    "results-grouped": "results results/golden --group-by heuristic,frontier --columns heuristic,solved,expanded",
    "results-json": f"results results/golden --where status=solved --columns {COLUMNS} --json",
    "results-csv": f"results export results/golden --columns {COLUMNS} --format csv",
    "results-latex": f"results export results/golden --columns {COLUMNS} --output out.tex",
    "results-markdown": f"results export results/golden --columns {COLUMNS} --format markdown",
    "compare": "compare results/golden taxicab/astar taxicab/greedy",
    "plot": "plot results/golden bars --metric expanded --output bars.svg",
    "tournament": "tournament random greedy --games 4 --max-moves 60 --workers 1 --output played",
    "standings": "results standings played",
    "replay": "replay played --player random --seed 1 --moves-only",
    "view": "view sliding-tile/puzzle8-20",
    "view-svg": "view sliding-tile/example --svg --output strip.svg",
    "report": "report results/golden --players none",
    "train": "train 'ntuple:tuples=0 1 2 3/3 4 5' --domain 2048-random:n=3 --games 50 --output trained",
    "runs-help": "run --help",
    "solve-help": "solve --help",
    "view-help": "view --help",
}
WRITTEN = {"results-latex": "out.tex", "view-svg": "strip.svg", "plot": "bars.svg"}


def masked(text, folder):
    """Return a text without figures that depend on the run or on the machine."""
    text = text.replace(str(folder), "FOLDER").replace(str(Path(__file__).parents[2]), "ROOT")
    for pattern, replacement in MASKED:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    if re.search("^seconds MASKED$", text, re.MULTILINE):  # the width of its columns depends on what was masked
        text = re.sub(" {2,}", "  ", text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def difference(golden, page):
    """Return the lines of a unified diff from a golden file, which may be missing, to the output."""
    expected = golden.read_text(encoding="utf-8") if golden.is_file() else ""
    return list(
        unified_diff(
            expected.splitlines(keepends=True), page.splitlines(keepends=True), f"golden/{golden.name}", "printed"
        )
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder in which the commands run one after another."""
    folder = tmp_path_factory.mktemp("golden") / "folder"
    folder.mkdir()
    (folder / "experiment.toml").write_text(EXPERIMENT)
    return folder


def test_commands_print_the_expected_output(place, monkeypatch, capfd, request):
    """All are in one test, because later commands read files of earlier ones."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(progress, "EVERY", TIMEOUT_MAX)  # a loaded machine takes long enough for a line of progress
    changed = []
    for name, line in COMMANDS.items():
        code = main(shlex.split(line))
        said = capfd.readouterr()
        page = f"$ searchlab {line}\nexit code {code}\n---- output\n{said.out}\n---- errors\n{said.err}\n"
        if name in WRITTEN:
            page += f"---- {WRITTEN[name]}\n{Path(WRITTEN[name]).read_text()}"
        page, golden = masked(page, place), GOLDEN / f"{name}.txt"
        if request.config.getoption("--update-goldens"):
            golden.write_text(page, encoding="utf-8")
        else:
            changed += difference(golden, page)
    if changed:
        pytest.fail("".join(changed), pytrace=False)
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == sorted(COMMANDS)
