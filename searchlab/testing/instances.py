"""What components are checked on: boards of a domain, small enough for all that can be known of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from searchlab import by_name
from searchlab.binding import filled_parameters
from searchlab.components import own_parameters
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line
from searchlab.parameters import extra_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.board import Board
    from searchlab.bound import BoundDomain
    from searchlab.plugins import Plugins


MOST_SAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Instance:
    """A domain, its parameters set, and a board to begin from.

    Attributes:
        plugins: where the domain's own heuristic and frontier are looked up.
    """

    domain: BoundDomain
    board: Board
    plugins: Plugins

    def __str__(self) -> str:
        rows, columns = self.board.shape
        return f"{self.domain}, {rows} × {columns}"


def instances(domain: BoundDomain, plugins: Plugins) -> list[Instance]:
    """Return what a domain says it is to be checked on, else its start board.

    Raises:
        UsageError: it has neither.
        PluginError: they fail, or give what is no board of the domain.
    """
    samples, start = domain.component.samples, domain.component.start
    what = f"{domain.name}: {'samples' if samples else 'start'} failed"
    with PluginCode(lambda error: PluginError(f"{what}: {in_one_line(error)}"), ()):
        if samples is not None:
            wanted = extra_parameters(samples, 0)
            found = list(islice(samples(**filled_parameters(domain.name, wanted, domain.values)), MOST_SAMPLES + 1))
            if len(found) > MOST_SAMPLES:
                raise PluginError(f"it yields more than {MOST_SAMPLES:,} boards: does it ever end?")
            return [_checked(_with(domain, parameters), board, plugins) for parameters, board in found]
        if start is not None:
            return [_checked(domain, domain.start(), plugins)]
    raise UsageError(f"{domain.name} has neither a start board nor samples to check with: name a board with --board")


def _with(domain: BoundDomain, parameters: Mapping[str, Any]) -> BoundDomain:
    """Return a domain with a sample's parameters where its own have their defaults."""
    defaults = {parameter.name: parameter.default for parameter in own_parameters(domain.component)}
    set_anew = {name: value for name, value in domain.values.items() if value != defaults[name]}
    return by_name.domain(domain.component, **{**parameters, **set_anew})


def _checked(domain: BoundDomain, board: Board, plugins: Plugins) -> Instance:
    domain.check(board)
    return Instance(domain, board, plugins)
