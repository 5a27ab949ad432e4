"""Check the pictures and texts of a domain, for boards and for other states."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from searchlab.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.model.games import Turn
    from searchlab.model.states import State


def wrong_picture(domain: BoundDomain, state: State, path: Sequence[State]) -> str:
    """Draw a state; return an error message, or `""`.

    Args:
        path: the states that led to the state, the start first.
    """
    try:
        domain.picture(state, path)
        image = domain.svg(state, path)
    except PluginError as error:
        return str(error)
    wrong = "" if image is None else _wrong_image(image)
    return wrong and f"its svg is no image: {wrong}"


def _wrong_image(image: str) -> str:
    """Return the reason why a browser would not draw a text as SVG, or `""`."""
    try:
        root = ElementTree.fromstring(image)
    except ElementTree.ParseError as error:
        return str(error)
    if root.tag != "{http://www.w3.org/2000/svg}svg":
        return 'it does not begin with <svg xmlns="http://www.w3.org/2000/svg"'
    return "" if "viewBox" in root.attrib else "it has no viewBox"


def wrong_texts(domain: BoundDomain, start: State, turns: tuple[Turn, ...]) -> str:
    """Write transcripts of a walk and of no moves, and remarks on the moves; return an error message, or `""`."""
    try:
        for written in (turns, ()):
            for proved in (True, False):
                for _ in domain.transcript(start, written, proved=proved) or ():
                    pass
        before = start
        for turn in turns:
            domain.remark(before, turn.after)
            before = turn.board
    except PluginError as error:
        return str(error)
    return ""
