"""The zip file for Gradescope: the rubric and its files, searchlab, and the two scripts that Gradescope requires."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import searchlab
from searchlab.errors import UsageError
from searchlab.files import read_bytes

if TYPE_CHECKING:
    from searchlab.testing.grading.rubric import Rubric

SOURCES = ("pyproject.toml", "README.md", "LICENSE")
FOLDERS = ("searchlab", "plugins", "boards")
SET_UP = """\
#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image.
set -euo pipefail
base=${AUTOGRADER:-/autograder}
apt-get update
apt-get install -y python3.11 python3.11-venv
python3.11 -m venv "$base/venv"
"$base/venv/bin/python" -m pip install "$base/source/searchlab"
"""
RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission.
set -uo pipefail
base=${AUTOGRADER:-/autograder}
mkdir -p "$base/results"
"$base/venv/bin/python" -m searchlab grade "$base/submission" --rubric "$base/source/rubric/RUBRIC" \\
    --output "$base/marks" --format gradescope > "$base/results/results.new"
code=$?
if [ "$code" -gt 1 ] || [ ! -s "$base/results/results.new" ]; then
    exit "$code"
fi
mv "$base/results/results.new" "$base/results/results.json"
"""
EXECUTABLE, PLAIN = 0o100755 << 16, 0o100644 << 16
DATE = (1980, 1, 1, 0, 0, 0)
"""The date of all files, which is fixed so that the same rubric makes the same zip file."""


def gradescope_zip(rubric: Rubric) -> tuple[bytes, list[str]]:
    """Return the zip file, and the names of the rubric's files in it.

    Raises:
        UsageError: a file of the rubric is in another folder, or the sources of searchlab are not available.
    """
    root = Path(searchlab.__file__).parents[1]
    if not (root / "pyproject.toml").is_file():
        raise UsageError("Gradescope installs searchlab from its sources: make the zip file in a clone of them")
    folder = rubric.path.parent
    for file in rubric.files:
        if not file.is_relative_to(folder):
            raise UsageError(f"{file}: the rubric names it, and it lies in another folder: put it beside {rubric.path}")
    names = [file.relative_to(folder).as_posix() for file in rubric.files]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", SET_UP.encode(), EXECUTABLE)
        _add(archive, "run_autograder", RUN.replace("RUBRIC", rubric.path.name).encode(), EXECUTABLE)
        for name, file in zip(names, rubric.files, strict=True):
            _add(archive, f"rubric/{name}", read_bytes(file), PLAIN)
        for file in _sources(root):
            _add(archive, f"searchlab/{file.relative_to(root).as_posix()}", file.read_bytes(), PLAIN)
    return content.getvalue(), names


def _sources(root: Path) -> list[Path]:
    """Return the files from which searchlab is installed."""
    found = [root / name for name in SOURCES if (root / name).is_file()]
    for folder in FOLDERS:
        found += sorted(
            path
            for path in (root / folder).rglob("*")
            if path.is_file() and path.suffix != ".pyc" and "__pycache__" not in path.parts
        )
    return found


def _add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name, DATE)
    entry.external_attr, entry.compress_type = mode, zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
