"""The output of a notebook's cell: lines behind a bar that are replaced while the cell runs.

IPython is asked to display and update plain HTML and text, which needs no widgets.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


def _shell() -> Any:
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, which can redraw its cells."""
    shell = _shell()
    return shell is not None and hasattr(shell, "kernel")


class CellOutput:
    """Lines in the output of the running cell, which can be replaced."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, lines: Sequence[str], bar: str = "") -> None:
        """Show lines in place of those before; without lines, the place is empty.

        Args:
            lines: the lines as plain text.
            bar: the HTML of a bar before the first line, see `progress_bar`.
        """
        from html import escape  # late, as its table of entities takes a millisecond

        html = "".join(
            f'<div style="margin:.2em 0">{"" if number else bar}{escape(one_line(line))}</div>'
            for number, line in enumerate(lines)
        )
        shown = {"text/html": html, "text/plain": "\n".join(map(one_line, lines))}
        if self._handle is None:
            self._handle = import_module("IPython.display").display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def cell_output() -> CellOutput:
    """Return the output that searches of the running cell share, so that a loop of them leaves one empty place."""
    return _output_of(_shell().execution_count)


@lru_cache(maxsize=1)
def _output_of(execution: int) -> CellOutput:
    return CellOutput()


def progress_bar(share: float | None) -> str:
    """Return the HTML of a bar that is filled by a share from 0 to 1; None shows that the end is not known."""
    value = "" if share is None else f' value="{share:.4f}"'
    return f'<progress{value} max="1" style="width:16em"></progress> '
