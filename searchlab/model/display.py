"""How a search or a game that has ended looks: in a line, in a few lines of text, and as HTML in a notebook.

The HTML is static: no scripts, no style sheet that could reach beyond it, and only colours that suit dark and light.
All texts that come from outside are escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING

from searchlab.board.display import strip_html
from searchlab.errors.control_characters import escaped, one_line
from searchlab.model.formatting import counted, folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from searchlab.board.board import Board

DOT = " · "
WIDTH = 80
"""Of the lines of text."""
LONGEST_HEADLINE = 160
"""The longest headline with a reason, in characters."""
MOST_WRITTEN, MOST_LISTED = 100, 1000
"""The largest number of moves in a text, and in HTML, where they unfold on a click."""
BLOCK, QUIET = "margin:.2em 0", "margin:.2em 0;opacity:.75"
REASON = "margin:.2em 0;max-height:12em;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere"


@dataclass(frozen=True)
class Display:
    """The display of a search or a game that has ended.

    Attributes:
        headline: the outcome, in one line.
        setting: the names of the components and other settings.
        figures: counts and times, in groups that begin on a new line.
        boards: the boards, the start first.
        actions: the moves between them.
        labels: the texts of states that are not boards, in place of these.
        reason: for an error, one line with the reason, and the board below it; else `""`.
    """

    headline: str
    setting: Sequence[str]
    figures: Sequence[Sequence[str]]
    boards: Sequence[Board]
    actions: Sequence[str]
    reason: str
    labels: Sequence[str] = ()

    def line(self, *names_and_figures: str) -> str:
        """Return the outcome, followed by names and figures, in one line."""
        return f"{self._headline_with_reason}; {DOT.join(map(one_line, names_and_figures))}"

    def text(self) -> str:
        """Return a few lines of text."""
        folds = [folded(map(one_line, pieces), WIDTH, DOT) for pieces in (self.setting, *self.figures)]
        lines = [
            *wrap(self._headline_with_reason, WIDTH, break_on_hyphens=False),
            *(line for lines in folds for line in lines),
        ]
        moves = ["", *folded(_pieces(self.actions, MOST_WRITTEN), WIDTH)] if self.actions else []
        return "\n".join([*lines, *moves])

    def html(self) -> str:
        """Return it with the boards and the moves as HTML."""
        from html import escape  # late, as its table of entities takes a millisecond

        pieces = [
            f'<div style="{BLOCK}"><strong>{escape(one_line(self.headline))}</strong></div>',
            _block(self.setting, QUIET),
            *(_block(pieces) for pieces in self.figures),
            f'<pre style="{REASON}">{escape(escaped(self.reason))}</pre>' if self.reason else "",
            _labels_html(self.labels) if self.labels else strip_html(self.boards, self.actions),
            self._moves_html() if self.actions else "",
        ]
        return f"<div>{''.join(pieces)}</div>"

    @property
    def _headline_with_reason(self) -> str:
        reason = f": {self.reason.splitlines()[0]}" if self.reason else ""
        line = one_line(f"{self.headline}{reason}")
        return line if len(line) <= LONGEST_HEADLINE else f"{line[:LONGEST_HEADLINE]}…"

    def _moves_html(self) -> str:
        """Return the moves, behind a line that unfolds them."""
        from html import escape

        summary = f'<summary style="cursor:pointer">{counted(len(self.actions), "move")}</summary>'
        listed = escape(" ".join(_pieces(self.actions, MOST_LISTED)))
        return f'<details style="{BLOCK}">{summary}<div style="{BLOCK}">{listed}</div></details>'


def _labels_html(labels: Sequence[str]) -> str:
    """Return the states of a solution by their texts; of many the first and the last."""
    most = MOST_WRITTEN // 2
    shown = (
        [*labels[:most], f"… {len(labels) - 2 * most:,} more …", *labels[-most:]] if len(labels) > 2 * most else labels
    )
    return _block([" → ".join(map(one_line, shown))])


def moves_in_words(actions: Iterable[str]) -> list[tuple[str, int]]:
    """Return runs of the same move as `down ×3`, each with its length.

    >>> moves_in_words(["up", "down", "down"])
    [('up', 1), ('down ×2', 2)]
    """
    runs = [(action, len(list(run))) for action, run in groupby(actions)]
    return [(f"{action} ×{times}" if times > 1 else action, times) for action, times in runs]


def _pieces(actions: Sequence[str], most: int) -> list[str]:
    """Return the first moves in words with commas between them, and the number of the others."""
    pieces = [one_line(text) for text, _ in moves_in_words(actions[:most])]
    more = [f"… and {counted(len(actions) - most, 'more move')}"] if len(actions) > most else []
    *others, last = [*pieces, *more]
    return [*(f"{piece}," for piece in others), last]


def _block(pieces: Sequence[str], style: str = BLOCK) -> str:
    from html import escape

    return f'<div style="{style}">{escape(one_line(DOT.join(pieces)))}</div>'
