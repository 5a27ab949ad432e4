"""Which game a board is of, judging by its tiles."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from searchlab import by_name
from searchlab.errors import BoardError, PluginError, SearchlabWarning

if TYPE_CHECKING:
    from searchlab.board import Board
    from searchlab.bound import BoundDomain
    from searchlab.plugins import Plugins


def game_of(board: Board, plugins: Plugins) -> BoundDomain:
    """Return the only domain that can have such a board; one whose `why_invalid` fails warns.

    Raises:
        BoardError: none can, or several.
    """
    reasons: dict[str, str] = {}
    fitting = []
    for registered in plugins.all("domain"):
        domain = by_name.domain(registered.component, plugins=plugins)
        if domain.component.why_invalid is None:
            reasons[domain.name] = "it does not say what its boards are"
            continue
        try:
            wrong = domain.why_invalid(board)
        except PluginError as error:
            wrong = str(error).removeprefix(f"{domain.name}: ")
            message = f"domain {domain.name} of plugin {registered.plugin}: {wrong}"
            warnings.warn(message, SearchlabWarning, stacklevel=2)
        if wrong:
            reasons[domain.name] = wrong
        else:
            fitting.append(domain)
    if len(fitting) == 1:
        return fitting[0]
    names = " and ".join(domain.name for domain in fitting)
    listed = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
    raise BoardError(f"the tiles fit {names}" if fitting else f"the tiles fit no game ({listed})")
