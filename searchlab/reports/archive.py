"""Archives: one zip file with what others need to read an experiment's results and to repeat its runs.

The files of an archive, each below its own name:

- `README.md`: what is there, and the two commands that verify it.
- `results/`: the folder of the results, with `experiment.json` and the certificates.
- `files/`: the boards, plugin files and tables that names in the results refer to, with their paths below the folder in
  which the archive was made.
- `runs.csv`: all runs as a table.
- `requirements.txt`, `wheels/`: the versions of all packages; searchlab, and plugins that no index has, as wheels.
- `ro-crate-metadata.json`: the same for machines, a Process Run Crate (https://w3id.org/ro/wfrun/process/0.5).
"""

from __future__ import annotations

import base64
import getpass
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from searchlab.binding.instance_files import split_name
from searchlab.binding.names import files_in
from searchlab.board.files import find_board, shipped_files
from searchlab.errors import SearchlabError, UsageError
from searchlab.experiments.components import domain_part
from searchlab.experiments.fingerprints import files_named, plugin_name
from searchlab.experiments.instances import GENERATED
from searchlab.experiments.loading import ResultBlocks
from searchlab.experiments.requests import VERSIONED, undated
from searchlab.experiments.scheduler import SPECIFICATION
from searchlab.experiments.specification import Experiment
from searchlab.experiments.store import CERTIFICATES, FILE, Store
from searchlab.experiments.verification import recorded_rows
from searchlab.files import file_error, replacing, write
from searchlab.model.formatting import counted
from searchlab.plugins.hookspecs import PROJECT
from searchlab.plugins.loading import code_files
from searchlab.reports.export import exported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from searchlab.plugins.registry import Plugins

RESULTS, FILES, WHEELS = "results", "files", "wheels"
README, TABLE, REQUIREMENTS, METADATA = "README.md", "runs.csv", "requirements.txt", "ro-crate-metadata.json"
ELSEWHERE = "elsewhere"
"""The folder below `files` with what lies outside the folder in which an archive is made."""
LARGEST_UNPACKED = 16 * 2**30
"""The bytes that an archive may take unpacked."""
COMMON_USERS = frozenset(("root", "user", "ubuntu", "admin", "debian", "runner", "vagrant", "jovyan", "codespace"))
"""Names of users that say nothing about a person."""
LEAST_NAME = 3
"""The characters that the name of a user or a host has at least to be looked for in texts."""
DATE = (1980, 1, 1, 0, 0, 0)
"""The date of all files in an archive, so that equal results make equal archives."""
BOARDS_BESIDE = ("set.toml", "published.toml")
PROCESS_RUN = "https://w3id.org/ro/wfrun/process/0.5"
ENCODINGS = {
    ".json": "application/json",
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".sqlite": "application/vnd.sqlite3",
    ".zip": "application/zip",
    ".whl": "application/zip",
    ".py": "text/x-python",
    ".npz": "application/octet-stream",
}
"""The media types of files by their suffixes; others are plain text."""


@dataclass(frozen=True)
class ArchiveReport:
    """An archive that was written.

    Attributes:
        size: the bytes of the file.
        runs: the number of runs.
        files: the number of files of boards, plugins and tables.
        replaced: how often each thing was replaced in an anonymous archive, by description.
    """

    size: int
    runs: int
    files: int
    replaced: Mapping[str, int]


def write_archive(folder: Path, output: Path, plugins: Plugins, *, anonymous: bool = False) -> ArchiveReport:
    """Write the archive of an experiment.

    Args:
        folder: the folder of the results.
        output: the zip file.
        plugins: the plugins that names are looked up in; those whose files were loaded are archived.
        anonymous: whether to replace the names of hosts and of the user, and the paths of folders.

    Raises:
        UsageError: there are no results; something that they name cannot be found; or an anonymous archive would
            contain a name in a file that is not ours to change.
    """
    _, rows = recorded_rows(folder)
    with Store(folder) as store:
        specification = store.specification()
    if not rows:
        raise UsageError(f"{folder}: nothing to archive: it has no runs")
    place = folder.parent if folder.is_file() else folder
    needed = _Needed(Path.cwd())
    _collect(needed, rows, plugins)
    names = _Anonymous(rows) if anonymous else None
    change = _changes(needed, names)
    with tempfile.TemporaryDirectory() as made:
        results = Path(made)
        _copy_store(place / FILE, results / FILE, change)
        if specification:
            (results / SPECIFICATION).write_text(change(specification), encoding="utf-8")
        contents: dict[str, bytes | Path] = {
            f"{RESULTS}/{path.name}": path for path in (results / FILE, results / SPECIFICATION) if path.exists()
        }
        used = {row["identity"] for row in rows}
        for path in sorted((place / CERTIFICATES).glob("*.zip")):
            if path.stem in used:
                contents[f"{RESULTS}/{CERTIFICATES}/{path.name}"] = path
        contents |= {f"{FILES}/{target}": path for target, path in sorted(needed.files.items())}
        write(results / TABLE, exported(ResultBlocks.of(results, all_versions=None), "csv"))
        contents[TABLE] = results / TABLE
        wheels, requirements = _packages(rows, plugins)
        contents |= {f"{WHEELS}/{name}": content for name, content in wheels.items()}
        contents[REQUIREMENTS] = requirements.encode()
        about = _About(change(specification), rows, needed)
        contents[README] = about.readme(contents).encode()
        contents[METADATA] = about.crate(contents).encode()
        if names:
            names.check(contents)
        try:
            with replacing(output.resolve()) as file, ZipFile(file, "w", ZIP_DEFLATED) as archive:
                for name in sorted(contents):
                    _add(archive, name, contents[name])
        except OSError as error:
            raise file_error(output, error) from None
    return ArchiveReport(output.stat().st_size, len(rows), len(needed.files), names.replaced if names else {})


class _Needed:
    """The files that an archive needs.

    Args:
        here: the folder below which files keep their paths.

    Attributes:
        files: the files by their paths below `files` in the archive.
        renamed: the paths in the archive by the paths in names, where they differ.
        plugin_files: the paths in the archive of plugin files.
    """

    def __init__(self, here: Path) -> None:
        self._here = Path(os.path.abspath(here))
        self.files: dict[str, Path] = {}
        self.renamed: dict[str, str] = {f"{self._here}{os.sep}": ""}
        self.plugin_files: list[str] = []
        self._elsewhere: dict[Path, str] = {}

    def add(self, name: str, files: Iterable[Path] = ()) -> str:
        """Add a file by its path in a name, and files beside it; return the path in the archive."""
        path = Path(os.path.abspath(name))
        root = self._root(path.parent)
        target = f"{root}{path.name}"
        if target != name:
            self.renamed[name] = target
        for file in (path, *files):
            inside = Path(os.path.abspath(file)).relative_to(path.parent).as_posix()
            self.files[f"{root}{inside}"] = file
        return target

    def _root(self, folder: Path) -> str:
        """Return the folder in the archive for a folder: `""`, or a path that ends with a slash."""
        if folder.is_relative_to(self._here):
            inside = folder.relative_to(self._here).as_posix()
            return "" if inside == "." else f"{inside}/"
        if folder not in self._elsewhere:
            self._elsewhere[folder] = f"{ELSEWHERE}/{len(self._elsewhere) + 1}/"
            self.renamed[f"{folder}{os.sep}"] = self._elsewhere[folder]
        return self._elsewhere[folder]


def _collect(needed: _Needed, rows: list[dict[str, Any]], plugins: Plugins) -> None:
    """Add the files that the rows name.

    Raises:
        UsageError: the code of a plugin is not at hand, or a file is gone.
    """
    plugins.allow_files(
        name for row in rows for column in VERSIONED[:-1] if (name := row.get(column)) and files_in(undated(name))
    )
    combinations = {tuple(undated(row.get(column) or "") for column in VERSIONED[:-1]) for row in rows}
    python: set[str] = set()
    for heuristic, player, frontier, domain in combinations:
        for kind, name in (("domain", domain), ("heuristic", heuristic), ("frontier", frontier), ("player", player)):
            if name:
                python.update(files_in(name))
                for file in files_named(kind, name, plugins, domain_part(domain, plugins).bound):
                    needed.add(_present(file))
    named = {Path(file).stem for file in python}
    loaded = {plugin_name(plugin): plugin for plugin in plugins.loaded}
    for row in rows:
        for key in row["provenance"].get("plugins") or {}:
            name = key.partition(":")[0]
            if name in named or os.path.exists(key):
                continue
            if name not in loaded:
                raise UsageError(f"the code of the plugin {name} is not at hand: name its file with --plugin FILE")
            if not loaded[name].version:
                python.add(loaded[name].file)
    for file in sorted(python):
        needed.plugin_files.append(needed.add(_present(file), sorted(code_files(Path(file)))))
    boards = {row["board_name"] for row in rows if row["board_name"] and not GENERATED.fullmatch(row["board_name"])}
    domains = {row["board_name"]: undated(row["domain"]) for row in rows}
    shipped = {str(path) for path in shipped_files((".txt",)).values()}
    for name in sorted(boards):
        _add_board(needed, name, domains[name], shipped, plugins)


def _present(file: str) -> str:
    if not os.path.isfile(file):
        raise UsageError(f"{file}: no such file; the results name it, so the archive needs it")
    return file


def _add_board(needed: _Needed, name: str, domain: str, shipped: set[str], plugins: Plugins) -> None:
    """Add the file of a board and the files beside it that it may refer to, unless it ships or was no file."""
    file, _ = split_name(name)
    suffixes = domain_part(domain, plugins).bound.component.files.suffixes
    if not os.path.isfile(file):
        try:
            found = find_board(file, lambda: suffixes)
        except SearchlabError:
            return  # its tiles are in the results, or it is gone
        if str(found) in shipped or found in shipped_files(suffixes).values():
            return
        file = str(found)
    folder = Path(file).parent
    beside = [folder / other for other in BOARDS_BESIDE if (folder / other).is_file()]
    if not file.endswith(".txt"):
        text = Path(file).read_text(encoding="utf-8", errors="replace")
        beside += [
            other
            for other in sorted(folder.iterdir())
            if other.is_file() and (other.suffix in suffixes or other.name in text)
        ]
    needed.add(file, beside)


class _Anonymous:
    """The names that an anonymous archive does not have.

    Attributes:
        texts: the replacement by the text that is replaced.
        replaced: how often a kind of text was replaced, by description.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        hosts = {str((row["provenance"].get("machine") or {}).get("host") or "") for row in rows}
        hosts |= {row["worker"].rpartition(" ")[0] for row in rows}
        self._hosts = {host: f"machine-{number}" for number, host in enumerate(sorted(hosts - {""}), 1)}
        self._home = os.path.expanduser("~")
        self._user = _user()
        self.replaced: dict[str, int] = {}

    def replace(self, text: str) -> str:
        """Return a text without the names of hosts, the user's name and home folder, and absolute paths."""
        text = self._substituted(text, re.escape(self._home), "home", "paths of the home folder")
        for host, other in self._hosts.items():
            text = self._substituted(text, rf"(?<![\w.-]){re.escape(host)}(?![\w-])", other, "names of machines")
        if len(self._user) >= LEAST_NAME and self._user not in COMMON_USERS:
            text = self._substituted(text, rf"\b{re.escape(self._user)}\b", "user", "the user's name")
        return self._substituted(text, ABSOLUTE, r"\g<name>", "absolute paths")

    def _substituted(self, text: str, pattern: str, other: str, what: str) -> str:
        changed, count = re.subn(pattern, other, text)
        if count:
            self.replaced[what] = self.replaced.get(what, 0) + count
        return changed

    def check(self, contents: Mapping[str, bytes | Path]) -> None:
        """Raise a UsageError if a file, other than a wheel, still has one of the names."""
        sought = {self._home: "the home folder"}
        sought |= {host: "the name of a machine" for host in self._hosts if len(host) >= LEAST_NAME}
        if len(self._user) >= LEAST_NAME and self._user not in COMMON_USERS:
            sought[self._user] = "the user's name"
        patterns = {re.compile(rf"(?<![\w]){re.escape(text)}(?![\w])".encode()): what for text, what in sought.items()}
        for name, content in contents.items():
            if name.startswith(f"{WHEELS}/"):
                continue
            content = content if isinstance(content, bytes) else content.read_bytes()
            for pattern, what in patterns.items():
                if found := pattern.search(content):
                    line = content.count(b"\n", 0, found.start()) + 1
                    raise UsageError(f"{name.removeprefix(f'{FILES}/')}, line {line}: has {what}; remove it first")


ABSOLUTE = r"(?<![\w.:/~-])(?:/[\w.+~@-]+){2,}/(?P<name>[\w.+~@-]+)"
"""An absolute path of at least three steps; its last step stays."""


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def _changes(needed: _Needed, names: _Anonymous | None) -> Callable[[str], str]:
    """Return the function that replaces paths in a text by those in the archive, and names if it is anonymous."""
    renamed: dict[str, str] = {}
    for old, new in needed.renamed.items():
        renamed |= {old: new, json.dumps(old)[1:-1]: new}
    olds = sorted(renamed, key=len, reverse=True)
    ends = {old: "" if old.endswith(os.sep) else r"(?![\w-])" for old in olds}
    path = re.compile("|".join(rf"(?<![\w/.-]){re.escape(old)}{end}" for old, end in ends.items()))

    def change(text: str) -> str:
        text = path.sub(lambda found: renamed[found.group()], text)
        return names.replace(text) if names else text

    return change


def _copy_store(source: Path, target: Path, change: Callable[[str], str]) -> None:
    """Copy a store with every text changed; nothing of the former texts is left in the file."""
    with Store(source.parent) as store, closing(sqlite3.connect(target, isolation_level=None)) as copy:
        store.copy_to(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.create_function("changed", 1, change, deterministic=True)
        copy.execute("BEGIN")
        tables = [name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            if table != "provenance":
                for _, column, declared, *_ in list(copy.execute(f"PRAGMA table_info({table})")):
                    if declared.startswith("TEXT") and column != "identity":
                        copy.execute(f"UPDATE {table} SET {column} = changed({column}) WHERE {column} IS NOT NULL")
        _change_provenances(copy, change)
        copy.execute("COMMIT")
        copy.execute("VACUUM")


def _change_provenances(copy: sqlite3.Connection, change: Callable[[str], str]) -> None:
    """Change provenances, of which those that become equal become one."""
    kept: dict[str, int] = {}
    for number, content in list(copy.execute("SELECT id, content FROM provenance ORDER BY id")):
        changed = change(content)
        if changed in kept:
            copy.execute("UPDATE runs SET provenance = ? WHERE provenance = ?", (kept[changed], number))
            copy.execute("DELETE FROM provenance WHERE id = ?", (number,))
        else:
            kept[changed] = number
            copy.execute("UPDATE provenance SET content = ? WHERE id = ?", (changed, number))


def _packages(rows: Iterable[Mapping[str, Any]], plugins: Plugins) -> tuple[dict[str, bytes], str]:
    """Return the wheels of packages that no index has, by file name, and the content of `requirements.txt`."""
    keys = {key.partition(":")[0].partition("/")[0] for row in rows for key in row["provenance"].get("plugins") or {}}
    own = {PROJECT, *(plugin.name for plugin in plugins.loaded if plugin.version and plugin.name in keys)}
    wheels: dict[str, bytes] = {}
    lines: list[str] = []
    for name, distribution in sorted(_closure(own).items()):
        if name in own and (name == PROJECT or distribution.read_text("direct_url.json")):
            file, content = _wheel(distribution)
            wheels[file] = content
            lines.append(f"./{WHEELS}/{file}")
        else:
            lines.append(f"{distribution.metadata['Name']}=={distribution.version}")
    return wheels, "".join(f"{line}\n" for line in lines)


def _closure(names: Iterable[str]) -> dict[str, metadata.Distribution]:
    """Return distributions and the installed ones that they need, without extras, by name."""
    found: dict[str, metadata.Distribution] = {}
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system
        for requirement in found[name].requires or ():
            needed, _, condition = requirement.partition(";")
            if "extra" not in condition and (match := re.match(r"[\w.-]+", needed.strip())):
                waiting.append(match.group())
    return found


def _wheel(distribution: metadata.Distribution) -> tuple[str, bytes]:
    """Return the name and the content of a wheel of an installed distribution of pure Python.

    Raises:
        UsageError: it has machine code, or its packages are not found.
    """
    name, version = str(distribution.metadata["Name"]), distribution.version
    stem = f"{re.sub(r'[-_.]+', '_', name)}-{version}"
    files: dict[str, bytes] = {}
    for top in (distribution.read_text("top_level.txt") or name.replace("-", "_")).split():
        spec = find_spec(top)
        if spec is None or not (spec.submodule_search_locations or spec.origin):
            raise UsageError(f"the package {top} of {name} is not found, so the archive cannot contain it")
        for folder in map(Path, spec.submodule_search_locations or ()):
            for path in sorted(folder.rglob("*")):
                inside = path.relative_to(folder)
                if path.is_file() and "__pycache__" not in inside.parts and not path.name.startswith("."):
                    files[f"{top}/{inside.as_posix()}"] = path.read_bytes()
        if not spec.submodule_search_locations and spec.origin:
            files[f"{top}.py"] = Path(spec.origin).read_bytes()
    if any(PurePosixPath(file).suffix in (".so", ".pyd") for file in files):
        raise UsageError(f"{name} {version} was installed from a folder and has machine code: install it from an index")
    about = f"{stem}.dist-info"
    described = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO")  # that of a source folder
    points, tops = (distribution.read_text(text) for text in ("entry_points.txt", "top_level.txt"))
    for text, said in (("METADATA", described), ("entry_points.txt", points), ("top_level.txt", tops)):
        if said:
            files[f"{about}/{text}"] = said.encode()
    files[f"{about}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: searchlab\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = f"{about}/RECORD"
    lines = [f"{file},sha256={_digest(content)},{len(content)}" for file, content in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as wheel:
        for file, content in files.items():
            _add(wheel, file, content)
    return f"{stem}-py3-none-any.whl", made.getvalue()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _add(archive: ZipFile, name: str, content: bytes | Path) -> None:
    """Add a file with an equal date, so that equal contents make equal archives."""
    info = ZipInfo(name, DATE)
    info.compress_type, info.external_attr = ZIP_DEFLATED, 0o644 << 16
    if isinstance(content, bytes):
        archive.writestr(info, content)
        return
    info.file_size = content.stat().st_size
    with content.open("rb") as source, archive.open(info, "w") as target:
        shutil.copyfileobj(source, target)


class _About:
    """Describes an archive, to people and to machines."""

    def __init__(self, specification: str, rows: list[dict[str, Any]], needed: _Needed) -> None:
        experiment = Experiment.from_json(specification) if specification else None
        self._name = experiment.name if experiment else "experiment"
        self._description = experiment.description if experiment else ""
        self._rows, self._plugin_files = rows, needed.plugin_files
        self._provenance = rows[-1]["provenance"]
        self._ended = max(row["finished"] for row in rows)

    @property
    def _verify(self) -> str:
        options = [word for file in self._plugin_files for word in ("--plugin", f"{FILES}/{file}")]
        return shlex.join([".venv/bin/searchlab", "verify", ".", *options])

    def readme(self, contents: Mapping[str, bytes | Path]) -> str:
        """Return the README, in Markdown."""
        versions = ", ".join(f"{name} {version}" for name, version in (self._provenance.get("versions") or {}).items())
        machine = self._provenance.get("machine") or {}
        described = ", ".join(str(machine[key]) for key in ("system", "processor") if machine.get(key))
        has = {name.partition("/")[0] for name in contents}
        table = {
            RESULTS: "all runs; `searchlab results results` shows them",
            FILES: "the boards, plugin files and tables that they name",
            TABLE: "all runs as a table, to be read without searchlab",
            REQUIREMENTS: "the versions of all packages",
            WHEELS: "searchlab and the plugins, as packages",
            METADATA: "this description for machines (RO-Crate)",
        }
        lines = [f"# {self._name}", ""]
        lines += [self._description, ""] if self._description else []
        lines += [
            f"{counted(len(self._rows), 'run')} of an experiment with searchlab, the last of {self._ended[:10]}. "
            f"Computed with {versions}; {described or 'the machine is unknown'}.",
            "",
            "To repeat twenty of the runs and compare their figures, with Python 3.11 or newer, in this folder:",
            "",
            "```sh",
            f"python3 -m venv .venv && .venv/bin/python -m pip install --quiet -r {REQUIREMENTS}",
            self._verify,
            "```",
            "",
            "Costs, expansions and solutions are the same on every machine; times are not. "
            "`--sample 1000` repeats more runs.",
            "",
            "| file | content |",
            "| --- | --- |",
            *(f"| `{name}` | {what} |" for name, what in table.items() if name in has or name == METADATA),
            "",
        ]
        return "\n".join(lines)

    def crate(self, contents: Mapping[str, bytes | Path]) -> str:
        """Return the metadata of the crate, in JSON-LD."""
        files = sorted(contents)
        software = {
            "@id": "#searchlab",
            "@type": "SoftwareApplication",
            "name": "searchlab",
            "softwareVersion": str((self._provenance.get("versions") or {}).get("searchlab", "")),
        }
        action = {
            "@id": "#experiment",
            "@type": "CreateAction",
            "name": f"the runs of {self._name}",
            "instrument": {"@id": software["@id"]},
            "endTime": self._ended,
            "object": [{"@id": name} for name in files if name.startswith((f"{FILES}/", f"{RESULTS}/{SPECIFICATION}"))],
            "result": [{"@id": f"{RESULTS}/{FILE}"}, {"@id": TABLE}],
        }
        root = {
            "@id": "./",
            "@type": "Dataset",
            "name": self._name,
            "description": self._description
            or f"{counted(len(self._rows), 'run')} of an experiment in heuristic search",
            "datePublished": self._ended[:10],
            "license": "see the files",
            "conformsTo": {"@id": PROCESS_RUN},
            "hasPart": [{"@id": name} for name in files],
            "mentions": {"@id": action["@id"]},
        }
        about = {
            "@id": METADATA,
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        }
        profile = {"@id": PROCESS_RUN, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}
        parts = [
            {
                "@id": name,
                "@type": "File",
                "name": PurePosixPath(name).name,
                "contentSize": str(len(content) if isinstance(content, bytes) else content.stat().st_size),
                "encodingFormat": ENCODINGS.get(PurePosixPath(name).suffix, "text/plain"),
            }
            for name, content in sorted(contents.items())
        ]
        graph = [about, root, profile, software, action, *parts]
        return json.dumps({"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}, indent=1) + "\n"


def is_archive(path: Path) -> bool:
    """Return whether a file is a zip file with the results of an experiment."""
    try:
        with ZipFile(path) as archive:
            return f"{RESULTS}/{FILE}" in archive.namelist()
    except (OSError, BadZipFile):
        return False


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Yield a temporary folder with the results and the files of an archive.

    Raises:
        UsageError: the archive is damaged, or too large.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        try:
            with ZipFile(path) as archive:
                wanted = [one for one in archive.infolist() if one.filename.startswith((f"{RESULTS}/", f"{FILES}/"))]
                if sum(one.file_size for one in wanted) > LARGEST_UNPACKED:
                    raise UsageError(f"{path}: takes more than {LARGEST_UNPACKED >> 30} GiB unpacked")
                archive.extractall(folder, wanted)  # which leaves out `..` and the root of paths
        except BadZipFile as error:
            raise UsageError(f"{path}: damaged: {error}") from None
        except OSError as error:
            raise file_error(path, error) from None
        yield folder
