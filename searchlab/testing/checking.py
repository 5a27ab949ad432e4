"""`check`: the reports of a component, in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.plugins.registry import Plugins
from searchlab.search.deadline import LONGEST_CALL
from searchlab.testing.contract import Contract
from searchlab.testing.subjects import Finder

if TYPE_CHECKING:
    from searchlab.board.board import Board
    from searchlab.testing.findings import Report
    from searchlab.testing.subjects import Checkable


def check(
    component: Checkable,
    *,
    domain: str = "",
    board: Board | None = None,
    kind: str = "",
    seconds: float | None = None,
    thorough: bool = False,
    longest_call: float = LONGEST_CALL,
    memory: int | None = None,
    allow_interpreted: bool = False,
    plugins: Plugins | None = None,
) -> list[Report]:
    """Return a report for each component that a name, a file or an object stands for.

    Args:
        component: a component, a bare function, a name with parameters, `FILE.py` or `FILE.py:function`.
        domain: the domain a heuristic or a player is checked on, with its parameters; by default those it is made for.
        board: a board to check on in place of the domain's own.
        kind: what a name is the name of, where it is that of several things.
        seconds: about how long a component's boards may be looked at, in the processor and what is compiled aside:
            goals and the deepest boards first, then the others at random until time is up. By default 20, or what the
            environment variable SEARCHLAB_CHECK_SECONDS says.
        thorough: whether every board is looked at, however long that takes.
        longest_call: seconds after which one call of a function of the plugin is given up.
        memory: bytes the process may grow by; by default half of what is available.
        allow_interpreted: whether the component may do without being compiled.
        plugins: where names are looked up; by default the installed plugins.

    Raises:
        UsageError: there is nothing of this name, or it cannot be checked as asked.
    """
    finder = Finder(plugins or Plugins(), domain, board, kind)
    return [
        Contract(
            subject,
            board=board,
            seconds=seconds,
            thorough=thorough,
            longest_call=longest_call,
            memory=memory,
            allow_interpreted=allow_interpreted,
        ).report()
        for subject in finder.find(component)
    ]
