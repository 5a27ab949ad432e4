"""A section that a plugin adds to reports of experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchlab.model.component import check_types

if TYPE_CHECKING:
    import pandas as pd

PNG = b"\x89PNG\r\n"
"""How a picture begins that is a PNG."""


@dataclass(frozen=True)
class ReportSection:
    """A section of a report: text, a table and a picture, each optional.

    Attributes:
        title: the heading.
        text: paragraphs, separated by empty lines.
        table: a pandas DataFrame.
        picture: an SVG as text, or a PNG as bytes.
        description: a description of the picture for people who cannot see it.
    """

    title: str
    text: str = ""
    table: pd.DataFrame | None = None
    picture: str | bytes = ""
    description: str = ""

    def __post_init__(self) -> None:
        check_types(self, str, "a text", "title", "text", "description")
        check_types(self, (str, bytes), "an SVG as text, or a PNG as bytes", "picture")
        if isinstance(self.picture, bytes) and not self.picture.startswith(PNG):
            msg = "picture: these bytes are no PNG; an SVG is a text"
            raise TypeError(msg)
        if self.table is not None and not hasattr(self.table, "iloc"):
            msg = f"table: wanted a pandas DataFrame, not {type(self.table).__name__}"
            raise TypeError(msg)
