"""The contract as pytest tests: a line in a test file makes a test for each property."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.compiler.notice import CompileNotice
from searchlab.errors.control_characters import escaped
from searchlab.errors.standard_error import print_line
from searchlab.model.preparation import CompileProgress, listening

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board.board import Board
    from searchlab.model.instance import Instance
    from searchlab.model.preparation import Preparation
    from searchlab.plugins.registry import Plugins
    from searchlab.testing.contract import Contract
    from searchlab.testing.finder import Checkable
    from searchlab.testing.report import Finding, Property


def contract_of(
    component: Checkable,
    *,
    domain: str = "",
    board: Board | Instance | None = None,
    kind: str = "",
    seconds: float | None = None,
    thorough: bool = False,
    must_compile: bool = False,
    plugins: Plugins | None = None,
) -> Callable[..., None]:
    """Return a test function with one test per property of the contract; assign it to `test_…` in a test file.

        test_left_heavy = contract_of("left_heavy.py:left_heavy")

    Args:
        component: a component (a Domain, Heuristic, Frontier or Player), a function of the tiles or of a board and its
            moves, a name with parameters, a file `FILE.py`, or a function in a file, `FILE.py:function`. A file is
            looked for beside the test file, then in the current folder. All components of a file are checked.
        domain: the domain to check a heuristic or a player on, with parameters; by default the domains it supports.
        board: a board to check on in place of the domain's own.
        kind: "domain", "heuristic", "frontier" or "player", if components of several kinds share the name.
        seconds: the approximate processor time for looking at the boards of a component, without compiling. Goals and
            the deepest boards come first, then all other boards in random order until the time is up. The default is
            the number in the environment variable SEARCHLAB_CHECK_SECONDS, or else 20.
        thorough: whether to look at every board, however long that takes.
        must_compile: whether a component that runs interpreted fails; by default this is only reported.
        plugins: the plugins that names are looked up in; by default the installed ones.

    If there is no component of this name, pytest reports an error of the test file.
    """
    import pytest

    from searchlab.errors import SearchlabError
    from searchlab.plugins.registry import Plugins
    from searchlab.testing.contract import Contract
    from searchlab.testing.finder import Finder

    wanted = _beside(component, sys._getframe(1).f_globals.get("__file__", ""))
    finder = Finder(plugins or Plugins(), domain, board, kind)
    try:
        subjects = finder.find(wanted)
    except SearchlabError as error:
        pytest.fail(str(error), pytrace=False)
    contracts = [
        Contract(subject, board=board, seconds=seconds, thorough=thorough, must_compile=must_compile)
        for subject in subjects
    ]
    several = len(contracts) > 1
    asked = [
        pytest.param(contract, prop, id=f"{contract.subject.name}-{prop.name}" if several else prop.name)
        for contract in contracts
        for prop in contract.properties
    ]

    @pytest.mark.parametrize(("contract", "asked"), asked)
    def test_contract(contract: Contract, asked: Property, pytestconfig: pytest.Config) -> None:
        """The component keeps the contract."""
        with listening(_compile_notice(pytestconfig.pluginmanager.getplugin("capturemanager"))):
            judge(contract.ask(asked))

    return test_contract


def judge(finding: Finding) -> None:
    """Fail, skip or pass a test according to a finding; print the finding if the test passes."""
    import pytest

    if finding.status == "failed":
        pytest.fail(str(finding), pytrace=False)
    if finding.status == "skipped":
        pytest.skip(finding.message)
    print(escaped(str(finding)))


@cache
def _compile_notice(capturing: Any) -> Callable[[Preparation], None]:
    """Return a function that prints a line, uncaptured by pytest, while functions are compiled.

    Args:
        capturing: the capture plugin of pytest, or None if it is disabled.
    """

    def tell(line: str) -> None:
        with capturing.global_and_fixture_disabled() if capturing else nullcontext():
            print(file=sys.stderr)  # ends the line of dots
            print_line(line)

    notice = CompileNotice(redraws=lambda: False, tell=tell)

    def show(preparation: Preparation) -> None:
        if isinstance(preparation, CompileProgress):
            notice(preparation)

    return show


def _beside(component: Any, test_file: str) -> Any:
    """Return a name with the full path of its file if the file lies beside the test file."""
    if not isinstance(component, str | Path) or ".py" not in str(component):
        return component
    name, dot_py, rest = str(component).partition(".py")
    beside = Path(test_file).parent / f"{name}{dot_py}"
    return f"{beside}{rest}" if test_file and beside.is_file() else str(component)
