"""The notebooks of docs/notebooks run from a clone, and show pictures; Codespaces and Binder install what they need."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbclient of the extra test is not installed")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
INSTALL = "python -m pip install -e '.[notebooks]'"


class RecordingClient(nbclient.NotebookClient):
    """Executes a notebook, and keeps what its cells showed on the way, as plain text."""

    def __init__(self, notebook, folder):
        super().__init__(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
        self.shown = []

    def process_message(self, msg, cell, cell_index):
        if "data" in msg["content"]:
            self.shown.append((cell_index, msg["content"]["data"]))
        return super().process_message(msg, cell, cell_index)


def executed(notebook, folder):
    client = RecordingClient(notebook, folder)
    client.execute()
    return client


def is_picture(output):
    """Return whether an output is a picture, a page, or a board, solution or game drawn in HTML."""
    data = output.get("data", {})
    drawn = any(mark in data.get("text/html", "") for mark in ("<iframe", 'role="img"', "<svg"))
    return drawn or bool({"image/png", "image/svg+xml"} & {*data})


def is_table(output):
    return "<table" in output.get("data", {}).get("text/html", "")


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_show_pictures(path, tmp_path):
    """A cell shows a picture, a table or the outcome of an experiment, writes a file, or sets up the next one."""
    notebook = nbformat.read(path, as_version=4)
    executed(notebook, tmp_path)
    streams = [
        output.text for cell in code_cells(notebook) for output in cell.outputs if output.output_type == "stream"
    ]
    assert [text for text in streams if not text.startswith("Writing ")] == []
    pictures = [cell for cell in code_cells(notebook) if any(map(is_picture, cell.outputs))]
    assert len(pictures) >= 3
    assert any(is_table(output) for cell in code_cells(notebook) for output in cell.outputs)
    last = code_cells(notebook)[-1].outputs[-1]
    assert "<iframe" in last.data["text/html"]
    silent = [cell.source for cell in code_cells(notebook) if not cell.outputs]
    assert silent == []


@pytest.mark.slow
def test_a_long_search_in_a_real_kernel_shows_a_bar_that_goes_away(tmp_path):
    """The first cell takes a second, the second one is over at once."""
    cells = [
        "import time, searchlab as sl\n"
        "def slow(tiles):\n    time.sleep(0.001)\n    return 0.0\n"
        "result = sl.solve('sliding-tile/puzzle8-31', heuristic=slow, engine='readable', limits=sl.Limits(seconds=1))",
        "result = sl.solve('sliding-tile/puzzle8-20', engine='readable')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    shown = executed(notebook, tmp_path).shown
    assert {cell for cell, _ in shown} == {0}
    *drawn, (_, last) = shown
    assert all(re.match(r"[\d.]+ s of 1 s · [\d.]+ expanded · ", data["text/plain"]) for _, data in drawn)
    assert all('<progress value="' in data["text/html"] for _, data in drawn)
    assert drawn
    assert last["text/html"] == ""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path):
    """What they show is never old, and a difference between two versions can be read."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.source for cell in code_cells(notebook) if cell.outputs or cell.execution_count] == []
    assert notebook.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_notebooks_lead_to_files(path):
    texts = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
    links = re.findall(r"\]\(([^)]+)\)", "\n".join(texts))
    assert len(links) >= 3
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_page_of_notebooks_lists_all_of_them():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert {Path(link).name for link in re.findall(r"^\| \[[^\]]+\]\(([^)]+)\)", page, re.MULTILINE)} == {
        path.name for path in NOTEBOOKS
    }


def test_codespaces_installs_what_the_readme_says_and_opens_a_notebook():
    settings = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert settings["postCreateCommand"] == INSTALL
    assert all((ROOT / file).exists() for file in settings["customizations"]["codespaces"]["openFiles"])
    assert f"\n{INSTALL}\n" in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert INSTALL in (ROOT / "README.md").read_text(encoding="utf-8")
    assert settings["image"].endswith(f":{oldest_python()}")


def test_binder_runs_the_same_command():
    script = ROOT / "binder" / "postBuild"
    assert script.read_text(encoding="utf-8").splitlines()[-1] == INSTALL
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", script], check=True)
    assert (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8") == f"python-{oldest_python()}\n"


def oldest_python():
    """Return the Python that pyproject.toml asks for, with which most tests are run."""
    return re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))[1]
