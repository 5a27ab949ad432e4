"""Templates of plugins: a file, or a distribution."""

from __future__ import annotations

import builtins
import keyword
import os
import re
import sys
from dataclasses import dataclass
from importlib import resources
from shlex import quote
from string import Template
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.files import file_error

if TYPE_CHECKING:
    from pathlib import Path

SCAFFOLDED = ("heuristic", "frontier", "domain", "player")
USES = {
    "heuristic": "searchlab {plugin}solve --heuristic {name}",
    "frontier": "searchlab {plugin}solve sliding-tile/puzzle8-20 --frontier {name}",
    "domain": "searchlab {plugin}solve --domain {name}",
    "player": "searchlab {plugin}play --goal 128 --player {name}",
}
"""The command to try a component of each kind; `plugin` names its file if it is not installed."""


@dataclass(frozen=True)
class Scaffold:
    """A new plugin.

    Attributes:
        name: of its component.
        kind: one of SCAFFOLDED.

    Raises:
        UsageError: the name is not valid.
    """

    name: str
    kind: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", self.name):
            raise UsageError(f"{self.name!r} is no name: small letters, digits and hyphens are, as in left-heavy")
        reserved = keyword.iskeyword(self.identifier) or self.identifier in sys.stdlib_module_names
        if reserved or hasattr(builtins, self.identifier):
            raise UsageError(f"{self.name!r} is a word of Python itself: take another name")

    @property
    def identifier(self) -> str:
        """The name as Python spells it."""
        return self.name.replace("-", "_")

    @property
    def file_name(self) -> str:
        """The name of the plugin's file."""
        return f"{self.identifier}.py"

    @property
    def distribution(self) -> str:
        """The name of its distribution."""
        return f"searchlab-{self.name}"

    @property
    def module(self) -> str:
        """The name of the module in its distribution."""
        return f"searchlab_{self.identifier}"

    def text(self, part: str) -> str:
        """Return a part: "plugin" (one file, with a test), "module", "tests", "pyproject.toml" or "README.md"."""
        files = {
            "plugin": (f"{self.kind}.py", f"{self.kind}_example.py"),
            "module": (f"{self.kind}.py",),
            "tests": (f"{self.kind}_tests.py",),
        }
        templates = resources.files("searchlab.testing") / "templates"
        values = {
            "name": self.name,
            "kind": self.kind,
            "identifier": self.identifier,
            "distribution": self.distribution,
            "module": self.module,
            "use": USES[self.kind].format(name=self.name, plugin=""),
        }
        texts = [(templates / f"{file}.template").read_text(encoding="utf-8") for file in files.get(part, (part,))]
        return "".join(Template(text).substitute(values) for text in texts)

    def write_file(self, path: Path) -> None:
        """Write the plugin to a new file.

        Raises:
            UsageError: it exists already, is no Python file, or cannot be written.
        """
        if path.suffix != ".py":
            raise UsageError(f"{path}: a plugin file ends in .py")
        _write_new(path, self.text("plugin"))

    def write_package(self, folder: Path) -> None:
        """Write a distribution into a new folder.

        Raises:
            UsageError: there is something in the folder already, or it cannot be written.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} exists already: nothing was written")
        for path, part in (
            ("pyproject.toml", "pyproject.toml"),
            ("README.md", "README.md"),
            (f"{self.module}.py", "module"),
            (f"tests/test_{self.identifier}.py", "tests"),
        ):
            _write_new(folder / path, self.text(part))

    def next_with(self, path: Path) -> list[str]:
        """Return commands to try with the plugin in a file."""
        file = quote(str(path))
        use = USES[self.kind].format(name=self.name, plugin=f"--plugin {file} ")
        return [use, f"searchlab plugins check {file}", f"python -m pytest {file}"]

    def next_in_package(self, folder: Path) -> list[str]:
        """Return commands to try with the distribution in a folder."""
        place = quote(str(folder))
        install = f"python -m pip install -e {quote(f'{folder}[test]')}"
        return [install, USES[self.kind].format(name=self.name, plugin=""), f"python -m pytest {place}"]


def _write_new(path: Path, text: str) -> None:
    if os.path.lexists(path):
        raise UsageError(f"{path} exists already: nothing was written")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise file_error(path, error) from None
