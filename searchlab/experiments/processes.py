"""Start Python processes that import nothing from the current folder by accident.

`python -m` puts the current folder first on `sys.path`, so a `json.py` there, or the metadata of a distribution, would
be loaded by accident. Therefore every process starts in Python's safe-path mode, and gets the list of folders to import
from.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

DIGITS = 12
"""The hexadecimal digits of a digest."""


def python_module(module: str) -> list[str]:
    """Return the command that runs a module in a new process of the same interpreter."""
    mode = "-I" if sys.flags.isolated else "-P"
    return [sys.executable, mode, "-m", module]


def import_path() -> tuple[str, ...]:
    """Return the folders and archives that this process imports from, for another process to import from as well.

    The current folder is among them only if PYTHONPATH names it, or if the script lies there that Python was asked to
    run: otherwise it stands on `sys.path` because Python puts it there unasked.
    """
    here = _current_folder()
    is_asked_for = here in map(os.path.realpath, [*_python_path(), *_folder_of_script()])
    entries = [entry for entry in sys.path if os.path.isabs(entry)]
    return tuple(entry for entry in entries if is_asked_for or os.path.realpath(entry) != here)


def own_code() -> str:
    """Return the version of this process's searchlab, and a digest of its files; plugins have digests of their own."""
    from searchlab import __version__

    digest, folder = hashlib.sha256(), Path(__file__).parents[1]
    for file in sorted(folder.rglob("*.py")):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return f"{__version__} {digest.hexdigest()[:DIGITS]}"


def leave_out_current_folder() -> None:
    """Take the folder off `sys.path` that `python -m` put there."""
    if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0]) == _current_folder():
        del sys.path[0]


def _python_path() -> list[str]:
    """Return the entries of PYTHONPATH; an empty one stands for the current folder."""
    value = "" if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "")
    return [entry or os.curdir for entry in value.split(os.pathsep)] if value else []


def _folder_of_script() -> list[str]:
    """Return the folder of the script that this process runs; none if it runs a module or is interactive."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    is_script = isinstance(file, str) and getattr(main, "__spec__", None) is None
    return [os.path.dirname(os.path.abspath(str(file)))] if is_script else []


def _current_folder() -> str:
    """Return the current folder, an empty string if it is gone."""
    try:
        return os.path.realpath(os.getcwd())
    except OSError:
        return ""
