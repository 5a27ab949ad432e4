"""The definitions in PDDL files, and the search for the domain of a problem."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from searchlab_plugins.strips.expressions import ListExpression, Word, expressions, spelled, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab_plugins.strips.task import StepBudget

LARGEST_FILE = 64 << 20


class Definition(NamedTuple):
    """A `(define …)` in a text.

    Attributes:
        kind: `domain` or `problem`.
        name: the name.
        parts: the parts after the name.
        text: the text without comments.
        line: the number of the first line.
        file: the name of the file in errors, or `""` for the file of the problem.
    """

    kind: str
    name: str
    parts: ListExpression
    text: str
    line: int
    file: str = ""

    @contextmanager
    def named_in_errors(self) -> Iterator[None]:
        """Add the file to errors, unless it is the file of the problem."""
        try:
            yield
        except ValueError as error:
            raise ValueError(f"{self.file}: {error}" if self.file else str(error)) from None


def definitions(text: str, work: StepBudget, file: str = "") -> list[Definition]:
    r"""Return the definitions of a text.

    Raises:
        ValueError: the text is invalid; the message names the line.

    >>> from searchlab_plugins.strips.task import StepBudget
    >>> text = "(define (domain d))\n; and\n(define (problem p))"
    >>> [(each.kind, each.name, each.line) for each in definitions(text, StepBudget())]
    [('domain', 'd', 1), ('problem', 'p', 3)]
    """
    return [_definition(group, source, file) for group, source in expressions(text, work)]


def _definition(group: ListExpression, text: str, file: str) -> Definition:
    title = group[1] if group.head == "define" and len(group) > 1 else None
    if isinstance(title, ListExpression) and len(title) == 2 and title.head in ("domain", "problem"):
        name = title[1]
        if isinstance(name, Word):
            parts = ListExpression(group[2:])
            parts.line = group.line
            return Definition(title.head, name, parts, text, group.line, file)
    raise wrong(group, f"(define (domain …) or (define (problem …) is wanted, not {spelled(group)!r}")


class Domains:
    """Find the domains of the problems in a file; other files are read only once.

    Args:
        known: the definitions in the file.
        folder: the folder of the file.
        stem: the name of the file without suffix.
        named: the domain file that the user has named, or `""`.
        work: the budget of steps.
    """

    def __init__(self, known: list[Definition], folder: Path, stem: str, named: str, work: StepBudget) -> None:
        self._folder, self._stem, self._named, self._work = folder, stem, named, work
        self._known: dict[str, Definition] = {}
        for each in known:
            if each.kind == "domain" and self._known.setdefault(each.name, each) is not each:
                raise ValueError(f"line {each.line}: a second domain {each.name}; names of domains differ")
        self._files: dict[Path, list[Definition]] = {}

    def of(self, problem: Definition) -> Definition:
        """Return the definition of a problem's domain.

        Raises:
            ValueError: there is no such definition, or it cannot be read.
        """
        name = domain_name(problem)
        if self._named:
            found = self._in_file(Path(self._named))
            if not found:
                raise ValueError(f"{self._named}: it has no (define (domain …)")
            return next((each for each in found if each.name == name), found[0])
        if name in self._known:
            return self._known[name]
        others = []
        for path in candidates(self._folder, self._stem, name):
            for each in self._in_file(path) if path in self._files or path.is_file() else ():
                if each.name == name:
                    return each
                others.append(f"{path.name} defines {each.name}")
        looked = "; ".join(others) or f"looked for {name}-domain.pddl, domain.pddl and the like beside it and above it"
        raise ValueError(f"no file with its domain {name}: {looked}; strips:domain_file=FILE names one")

    def _in_file(self, path: Path) -> list[Definition]:
        if path not in self._files:
            found = _definitions_of(path, self._work)
            self._files[path] = [each for each in found if each.kind == "domain"]
        return self._files[path]


def domain_name(problem: Definition) -> str:
    """Return the name of a problem's domain."""
    for part in problem.parts:
        if isinstance(part, ListExpression) and part.head == ":domain" and len(part) == 2 and isinstance(part[1], Word):
            return part[1]
    raise ValueError(f"line {problem.line}: the problem {problem.name} has no (:domain …)")


def candidates(folder: Path, stem: str, name: str) -> Iterator[Path]:
    """Yield the files that may contain a problem's domain, by the naming schemes of collections of problems.

    >>> [path.as_posix() for path in candidates(Path("trucks"), "p07", "trucks")][:4]
    ['trucks/p07-domain.pddl', 'trucks/p07_domain.pddl', 'trucks/domain-p07.pddl', 'trucks/domain_p07.pddl']
    """
    number = re.search(r"\d*$", stem)
    digits = number[0] if number else ""
    of_problem = [f"{stem}-domain", f"{stem}_domain", f"domain-{stem}", f"domain_{stem}"] if stem else []
    if digits:
        of_problem += [f"domain-{digits}", f"domain_{digits}", f"domain{digits}"]
    of_all = [f"{name}-domain", f"{name}_domain", f"domain-{name}", f"domain_{name}", name, "domain"]
    for place in (folder, folder / ".." / "domains", folder / ".."):
        for each in dict.fromkeys((*of_problem, *of_all)):
            yield place / f"{each}.pddl"


def _definitions_of(path: Path, work: StepBudget) -> list[Definition]:
    """Return the definitions of a file."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    if len(content) > LARGEST_FILE:
        raise ValueError(f"{path}: larger than {LARGEST_FILE >> 20} MiB")
    try:
        return definitions(content.decode("utf-8-sig"), work, str(path))
    except UnicodeDecodeError:
        raise ValueError(f"{path}: it is not in UTF-8") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
