"""The contract of a domain's packed form: compiled, its rules are those on Board objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import api
from searchlab.errors import SearchlabError
from searchlab.search.compiling import CannotCompile
from searchlab.search.kernels import graph
from searchlab.search.limits import Limits, Watch
from searchlab.search.run_enumeration import Enumeration
from searchlab.search.solving import search
from searchlab.search.state_space import Moves
from searchlab.testing.domains import at
from searchlab.testing.explaining import obstacle
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from searchlab.board import Board
    from searchlab.testing.domains import DomainEvidence
    from searchlab.testing.instances import Instance

EXPANSIONS = 1000


def packs(evidence: DomainEvidence) -> Finding:
    """Pack each board and unpack it again."""
    packed = 0
    for instance, boards in evidence.walked:
        compiled = _compiled(instance)
        if isinstance(compiled, CannotCompile):
            return _not_compiled(compiled)
        packing = compiled.packing
        for board in boards:
            unpacked = packing.unpack(packing.pack(board).reshape(1, -1))[0]
            if unpacked != board:
                return failed("packed and unpacked, a board is another one", ("before:", board), ("after:", unpacked))
        packed += len(boards)
    return passed(f"{packed:,} boards come back from being packed as they were", boards=packed)


def compiles(evidence: DomainEvidence) -> Finding:
    """Compile the packed form's functions."""
    for instance, _ in evidence.walked:
        compiled = _compiled(instance)
        if isinstance(compiled, CannotCompile):
            form = instance.domain.packed(instance.board)
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
    moves = 0
    for instance, boards in evidence.walked:
        compiled = _compiled(instance)
        if isinstance(compiled, CannotCompile):
            return _not_compiled(compiled)
        found = Moves(compiled, np.stack([compiled.packing.pack(board) for board in boards]))
        for number, board in enumerate(boards):
            if found.goals[number] != instance.domain.is_goal(board):
                said = "compiled it is one" if found.goals[number] else "compiled it is none"
                return failed(f"whether a board is a goal: {said}, readable the opposite", at(instance.domain, board))
            if found.goals[number]:
                continue
            expected = evidence.edges(instance.domain, board)
            here = _listed(compiled, found, number)
            if here != [(edge.board, edge.cost, edge.terminal) for edge in expected]:
                return _difference(board, expected, here)
            moves += len(expected)
    return passed(f"{moves:,} moves are the same compiled and readable", moves=moves)


def _listed(compiled: Enumeration, moves: Moves, number: int) -> list[tuple[Board, float, bool]]:
    there = np.flatnonzero(moves.kinds[number])
    boards = compiled.packing.unpack(moves.words[number, there])
    terminal = moves.kinds[number, there] != graph.LIVE
    return list(zip(boards, moves.costs[number, there].tolist(), terminal.tolist(), strict=True))


def _difference(board: Board, expected: list[Any], here: list[tuple[Board, float, bool]]) -> Finding:
    """Return the first successor in which the compiled rules differ from the readable ones."""
    for k, edge in enumerate(expected):
        if k >= len(here):
            break
        after, cost, terminal = here[k]
        if after != edge.board:
            said = f"successor {k + 1}, {edge.action}, is another board"
            return failed(said, ("from:", board), ("readable:", edge.board), ("compiled:", after))
        if (cost, terminal) != (edge.cost, edge.terminal):
            costs = f"cost {edge.cost:g} readable, {cost:g} compiled"
            ends = f"terminal {edge.terminal} readable, {terminal} compiled"
            return failed(f"successor {k + 1}, {edge.action}: {costs}; {ends}", ("from:", board), ("to:", after))
    return failed(f"{len(expected)} successors readable, {len(here)} compiled", ("from:", board))


def engines_agree(evidence: DomainEvidence) -> Finding:
    """Search with the domain's own heuristic and frontier in both engines."""
    done = 0
    for instance, boards in evidence.walked:
        if isinstance(_compiled(instance), CannotCompile):
            return skipped("it does not compile")
        for board in boards[:: max(1, len(boards) // 3)]:
            try:
                problem = api.problem(board, domain=instance.domain, plugins=instance.plugins)
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


def _compiled(instance: Instance) -> Enumeration | CannotCompile:
    """Return the domain's compiled rules for boards of this shape, or why there are none."""
    try:
        return Enumeration(instance.board, instance.domain, Watch(Limits()))
    except CannotCompile as error:
        return error


def _not_compiled(error: CannotCompile) -> Finding:
    return skipped(f"there are no compiled rules: {error}")


FORMS = (
    Property("compiles", "Can its rules be compiled to machine code?", compiles),
    Property("packing", "Does a board survive being packed?", packs),
    Property("same-compiled", "Are the compiled rules those on Board objects?", same_compiled),
    Property("engines-agree", "Do both engines search it alike?", engines_agree),
)
