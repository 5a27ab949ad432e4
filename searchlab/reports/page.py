"""A Page of HTML that needs nothing else, as notebooks show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import escape

if TYPE_CHECKING:
    from pathlib import Path

FRAME_HEIGHT = 900
"""Pixels of a page in a notebook."""


@dataclass(frozen=True, repr=False)
class Page:
    """A self-contained HTML page; a notebook shows it.

    Attributes:
        html: the page.
        path: the file it was written to, or None.
    """

    html: str
    path: Path | None = None

    def __repr__(self) -> str:
        return f"<Page: {self.path or f'{len(self.html):,} characters'}>"

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {FRAME_HEIGHT}px; border: 0"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.html)}"></iframe>'
