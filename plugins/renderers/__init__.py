"""The renderers that ship with searchlab, which draw boards of any game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Renderer


@hookimpl
def searchlab_renderers() -> Iterable[Renderer]:
    """Return the renderers."""
    from searchlab_plugins.renderers.box import BOX

    return [BOX]
