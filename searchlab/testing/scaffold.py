"""Templates of plugins: a single file, or a distribution."""

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

from searchlab.errors import UsageError, did_you_mean
from searchlab.files import file_error

if TYPE_CHECKING:
    from pathlib import Path

SCAFFOLDED = ("heuristic", "frontier", "domain", "player")
USES = {
    "heuristic": "searchlab {plugin}solve --heuristic {name}",
    "frontier": "searchlab {plugin}solve sliding-tile/puzzle8-20 --frontier {name}",
    "domain": "searchlab {plugin}solve --domain {name}",
    "domain_map": "searchlab {plugin}solve '{instances}#corridor'",
    "player": "searchlab {plugin}play --goal 128 --player {name}",
}
"""The command that tries a component of each kind or form; `plugin` names its file if it is not installed."""
FORMS = {"domain": ("board", "permutation", "map", "states")}
"""The forms of kinds that have several forms, the default first."""


@dataclass(frozen=True)
class Scaffold:
    """A new plugin.

    Attributes:
        name: the name of the component.
        kind: the kind, one of SCAFFOLDED.
        form: the form, one of FORMS for the kind; by default the first.

    Raises:
        UsageError: the name is not valid, or the kind has no such form.
    """

    name: str
    kind: str
    form: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", self.name):
            raise UsageError(f"{self.name!r} is not a name: use lower-case letters, digits and hyphens: left-heavy")
        reserved = keyword.iskeyword(self.identifier) or self.identifier in sys.stdlib_module_names
        if reserved or hasattr(builtins, self.identifier):
            raise UsageError(f"{self.name!r} is a word of Python itself: take another name")
        forms = FORMS.get(self.kind, ())
        if self.form and not forms:
            raise UsageError(f"a {self.kind} has no forms; --form is for --kind {' or '.join(FORMS)}")
        if self.form and self.form not in forms:
            raise UsageError(f"there is no form {self.form!r} of a {self.kind}: {did_you_mean(self.form, forms)}")

    @property
    def template(self) -> str:
        """The prefix of the names of the templates."""
        default = FORMS.get(self.kind, ("",))[0]
        return self.kind if self.form in ("", default) else f"{self.kind}_{self.form}"

    @property
    def instances(self) -> str:
        """The name of the file of instances beside the plugin, or `""` if there is none."""
        return f"maps.{self.name}" if self.template == "domain_map" else ""

    def use(self, plugin: str = "", folder: str = "") -> str:
        """Return the command that tries the plugin, given the name of its file and the folder of its instances."""
        command = USES.get(self.template, USES[self.kind])
        return command.format(name=self.name, plugin=plugin, instances=f"{folder}{self.instances}")

    @property
    def identifier(self) -> str:
        """The name as a Python identifier."""
        return self.name.replace("-", "_")

    @property
    def file_name(self) -> str:
        """The name of the plugin's file."""
        return f"{self.identifier}.py"

    @property
    def distribution(self) -> str:
        """The name of the distribution."""
        return f"searchlab-{self.name}"

    @property
    def module(self) -> str:
        """The name of the module in the distribution."""
        return f"searchlab_{self.identifier}"

    def text(self, part: str) -> str:
        """Return the text of a part: "plugin" (with a test), "module", "tests", "instances", or another file."""
        files = {
            "plugin": (f"{self.template}.py", f"{self.template}_example.py"),
            "module": (f"{self.template}.py",),
            "tests": (f"{self.template}_tests.py",),
            "instances": (f"{self.template}_instances",),
        }
        templates = resources.files("searchlab.testing") / "templates"
        values = {
            "name": self.name,
            "kind": self.kind,
            "identifier": self.identifier,
            "distribution": self.distribution,
            "module": self.module,
            "use": self.use(),
        }
        texts = [(templates / f"{file}.template").read_text(encoding="utf-8") for file in files.get(part, (part,))]
        return "".join(Template(text).substitute(values) for text in texts)

    def write_file(self, path: Path) -> None:
        """Write the plugin to a new file, and the instances beside it.

        Raises:
            UsageError: the file exists already, is not a Python file, or cannot be written.
        """
        if path.suffix != ".py":
            raise UsageError(f"{path}: a plugin file ends in .py")
        _refuse_existing(path)
        if self.instances:
            _write_new(path.with_name(self.instances), self.text("instances"))
        _write_new(path, self.text("plugin"))

    def write_package(self, folder: Path) -> None:
        """Write a distribution into a new folder.

        Raises:
            UsageError: the folder already exists, or cannot be written.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} exists already: nothing was written")
        for path, part in (
            ("pyproject.toml", "pyproject.toml"),
            ("README.md", "README.md"),
            (f"{self.module}.py", "module"),
            (f"tests/test_{self.identifier}.py", "tests"),
            *([(self.instances, "instances")] if self.instances else []),
        ):
            _write_new(folder / path, self.text(part))

    def next_with(self, path: Path) -> list[str]:
        """Return commands to try with the plugin in a file."""
        file = quote(str(path))
        beside = str(path.parent / "_").removesuffix("_").removeprefix("./")
        use = self.use(f"--plugin {file} ", beside)
        return [use, f"searchlab plugins check {file}", f"python -m pytest {file}"]

    def next_in_package(self, folder: Path) -> list[str]:
        """Return commands to try with the distribution in a folder."""
        place = quote(str(folder))
        install = f"python -m pip install -e {quote(f'{folder}[test]')}"
        return [install, self.use(folder=f"{folder}/"), f"python -m pytest {place}"]


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise UsageError(f"{path} exists already: nothing was written")


def _write_new(path: Path, text: str) -> None:
    _refuse_existing(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise file_error(path, error) from None
