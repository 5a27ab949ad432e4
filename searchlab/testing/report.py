"""Properties of components, findings about them, and reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.board.board import Board


Status = Literal["passed", "failed", "skipped", "info"]


@dataclass(frozen=True)
class Finding:
    """The answer to the question of a property.

    Attributes:
        status: "passed", "failed", "skipped" (it could not be checked, or does not apply) or "info".
        message: one or a few lines in plain words.
        boards: the boards that demonstrate the finding, the counterexample first, each with a caption.
        facts: the figures in the message, for programs.
    """

    status: Status
    message: str
    boards: tuple[tuple[str, Board], ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join((self.message, *(f"{caption}\n{board}" for caption, board in self.boards)))


@dataclass(frozen=True)
class Property:
    """A question of a contract.

    Attributes:
        name: the name in reports, and of the test.
        question: the question in plain words.
        check: a function that answers the question from the evidence.
    """

    name: str
    question: str
    check: Callable[[Any], Finding]


@dataclass(frozen=True)
class Report:
    """All findings about a component.

    Attributes:
        kind: the kind of the component.
        name: the name with parameters.
        source: the plugin or the file of the component.
        grounds: descriptions of the grounds, one line each.
        findings: each property with its finding, in the order of the contract.
        looked: the number of boards looked at, or 0 if the component is not checked board by board.
        of: the number of all boards, if known.
    """

    kind: str
    name: str
    source: str
    grounds: tuple[str, ...]
    findings: tuple[tuple[Property, Finding], ...]
    looked: int = 0
    of: int = 0

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return all(finding.status != "failed" for _, finding in self.findings)

    @property
    def is_interpreted(self) -> bool:
        """Whether the component runs interpreted because it cannot be compiled."""
        return any(asked.name == "compiles" and "interpreted" in finding.message for asked, finding in self.findings)

    def finding(self, name: str) -> Finding:
        """Return the finding about the property with a name."""
        return next(finding for asked, finding in self.findings if asked.name == name)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "kind": self.kind,
            "name": self.name,
            "source": self.source,
            "passed": self.passed,
            "checked_on": list(self.grounds),
            **({"boards": self.looked, "of": self.of} if self.looked else {}),
            "properties": [
                {
                    "name": asked.name,
                    "question": asked.question,
                    "status": finding.status,
                    "message": finding.message,
                    "boards": [
                        {"caption": caption, "tiles": board.tiles.tolist()} for caption, board in finding.boards
                    ],
                    **({"facts": dict(finding.facts)} if finding.facts else {}),
                }
                for asked, finding in self.findings
            ],
        }


def share_of(looked: int, of: int) -> str:
    """Describe the share of the boards looked at."""
    return f"{looked:,} boards" if looked >= of else f"{looked:,} of {of:,} boards"


def passed(message: str, **facts: Any) -> Finding:
    """Return the finding that a property holds."""
    return Finding("passed", message, facts=facts)


def failed(message: str, *boards: tuple[str, Board], **facts: Any) -> Finding:
    """Return the finding that a property does not hold, with the boards that show it."""
    return Finding("failed", message, boards, facts)


def skipped(message: str) -> Finding:
    """Return the finding that a property was not checked, and why."""
    return Finding("skipped", message)


def info(message: str, *boards: tuple[str, Board], **facts: Any) -> Finding:
    """Return a finding that is worth knowing, but not a fault."""
    return Finding("info", message, boards, facts)
