"""The contract of a domain's packed form: compiled, its rules are those on Board objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.compiler.functions import CannotCompile
from searchlab.errors import SearchlabError
from searchlab.model.limits import Limits
from searchlab.search import solve
from searchlab.search.solve import search
from searchlab.testing.domain_survey import at
from searchlab.testing.explaining import obstacle
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from searchlab.testing.domains import DomainEvidence

EXPANSIONS = 1000


def packs(evidence: DomainEvidence) -> Finding:
    """Tell whether each board that was packed was the same when it was unpacked again."""
    reason = _not_compiled(evidence)
    said = f"{evidence.share} and those after a move come back from being packed as they were"
    return reason or evidence.fault("packing") or passed(said, boards=evidence.looked)


def compiles(evidence: DomainEvidence) -> Finding:
    """Compile the packed form's functions."""
    for ground in evidence.on + evidence.others:
        compiled = ground.compiled
        if isinstance(compiled, CannotCompile):
            form = ground.domain.packed(ground.instance.board)
            if form is None:
                said = "without a packed form (see PackedForm) it runs interpreted, about 100 times slower"
                return info(said) if evidence.allow_interpreted else failed(said)
            functions = [form.expand or form.successors, form.is_packed_goal or form.is_goal]
            named = [function for function in functions if str(compiled).startswith(f"{function.__name__} ")]
            found = obstacle(compiled, (named or functions)[0])
            said = f"{found.file}, {found}"
            return info(said) if evidence.allow_interpreted else failed(said)
    return passed("its rules become machine code")


def same_compiled(evidence: DomainEvidence) -> Finding:
    """Compare compiled successors and goal tests with the readable ones."""
    reason = _not_compiled(evidence)
    moves = sum(survey.compared for survey in evidence.surveys)
    said = f"{moves:,} moves of {evidence.share} are the same compiled and readable"
    facts = {"moves": moves, "boards": evidence.looked, "of": evidence.states}
    return reason or evidence.fault("same-compiled") or passed(said, **facts)


def engines_agree(evidence: DomainEvidence) -> Finding:
    """Search with the domain's own heuristic and frontier in both engines."""
    done = 0
    reason = _not_compiled(evidence)
    if reason:
        return reason
    for instance, boards in evidence.walked:
        for board in boards[:: max(1, len(boards) // 3)]:
            try:
                problem = solve.problem(board, domain=instance.domain, plugins=instance.plugins)
            except SearchlabError as error:
                return skipped(f"its own heuristic and frontier do not serve: {error}")
            limits = Limits(expansions=EXPANSIONS)
            with evidence.clock.calling(lambda board=board: board, prepares=True):  # type: ignore[misc]
                compiled, readable = (search(problem, limits=limits, engine=e) for e in ("compiled", "readable"))
            if compiled.status == "error":
                return failed(compiled.reason, at(instance.domain, board))
            figures = [(r.status, r.actions, r.expanded, r.generated) for r in (compiled, readable)]
            if figures[0] != figures[1]:
                said = "searched compiled and readable: " + " and ".join(
                    f"{r.status}, {r.expanded:,} expanded, {r.generated:,} generated" for r in (compiled, readable)
                )
                return failed(said, at(instance.domain, board))
            done += 1
    return passed(f"{done} searches do the same compiled and readable, and their solutions replay", searches=done)


def _not_compiled(evidence: DomainEvidence) -> Finding | None:
    """Return that there is nothing to compare with, None if there is."""
    errors = [ground.compiled for ground in evidence.on if isinstance(ground.compiled, CannotCompile)]
    return skipped(f"there are no compiled rules: {errors[0]}") if errors else None


FORMS = (
    Property("compiles", "Can its rules be compiled to machine code?", compiles),
    Property("packing", "Does a board survive being packed?", packs),
    Property("same-compiled", "Are the compiled rules those on Board objects?", same_compiled),
    Property("engines-agree", "Do both engines search it alike?", engines_agree),
)
