"""What components are checked on: boards of a domain, small enough for all that can be known of them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import fill_arguments
from searchlab.errors import PluginCode, PluginError, SearchlabError, UsageError, in_one_line
from searchlab.model.component import extra_parameters, resolve
from searchlab.plugins import lookup as by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Set

    from searchlab.binding.bound import Bound
    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.model.component import Parameter
    from searchlab.plugins.registry import Plugins

NUMBERS_TRIED = 2
"""Other values of a parameter that is a number."""


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
            arguments = fill_arguments(domain.name, samples, 0, domain.values)
            found = list(islice(samples(**arguments), MOST_SAMPLES + 1))
            if len(found) > MOST_SAMPLES:
                raise PluginError(f"it yields more than {MOST_SAMPLES:,} boards: does it ever end?")
            return [_checked(_with(domain, parameters), board, plugins) for parameters, board in found]
        if start is not None:
            return [_checked(domain, domain.start(), plugins)]
    raise UsageError(f"{domain.name} has neither a start board nor samples to check with: name a board with --board")


def other_instances(
    domain: BoundDomain, known: list[Instance], plugins: Plugins, asked: Set[str] = frozenset()
) -> list[Instance]:
    """Return a sample of the same game with other parameters, and the game as it is, from its start board.

    A parameter that was set, or that the domain's samples set themselves, keeps its value, and so does one that decides
    on nothing but the start board where there are samples; of the others one is changed at a time. An instance is the
    smallest there is with these parameters.

    Args:
        known: what the domain is checked on anyway.
        asked: what a heuristic asks for by name.
    """
    found: list[Callable[[], Instance]] = []
    if domain.component.start is not None and all(instance.domain.values != domain.values for instance in known):
        found.append(partial(_begun, domain, plugins))
    kept = {
        name for instance in known for name, value in instance.domain.values.items() if value != domain.values[name]
    }
    if domain.component.samples is not None and known:
        kept |= {*domain.values} - asked - _asked_by_rules(domain, known[0].board)
    for changed in other_values(domain):
        if not kept & {*changed}:
            found.append(partial(_smallest, _with(domain, changed), plugins))
    return [instance for make in found if (instance := _made(make)) is not None]


def _asked_by_rules(domain: BoundDomain, board: Board) -> set[str]:
    """Return what the functions of a domain ask for by name, but for the one that makes its start board."""
    component, form = domain.component, domain.packed(board)
    values = [getattr(component, field.name) for field in fields(component) if field.name not in ("start", "samples")]
    values += [*component.offers.values(), *(getattr(form, field.name) for field in (fields(form) if form else ()))]
    return {parameter.name for value in values if callable(value) for parameter in extra_parameters(value, 0)}


def _begun(domain: BoundDomain, plugins: Plugins) -> Instance:
    return _checked(domain, domain.start(), plugins)


def _smallest(domain: BoundDomain, plugins: Plugins) -> Instance:
    return instances(domain, plugins)[0]


def _made(make: Callable[[], Instance]) -> Instance | None:
    """Return an instance; None where these parameters are not for the boards there are."""
    try:
        return make()
    except SearchlabError:
        return None


def other_values(bound: Bound) -> list[dict[str, Any]]:
    """Return other values for one parameter at a time of those that have their defaults: what fits, and not many.

    Each choice, both truth values, a few numbers; what is the name of a file or a heuristic is left alone.
    """
    found: list[dict[str, Any]] = []
    for parameter in bound.component.own_parameters():
        if parameter.kind or parameter.default is inspect.Parameter.empty or parameter.name not in bound.values:
            continue
        value = bound.values[parameter.name]
        if not isinstance(value, bool | int | float | str) or value != parameter.default:
            continue
        fitting = []
        for other in _others(parameter, value):
            try:
                resolve(bound.name, (parameter,), {parameter.name: other})
            except SearchlabError:
                continue
            fitting.append({parameter.name: other})
        found += fitting if parameter.choices else fitting[:NUMBERS_TRIED]
    return found


def _others(parameter: Parameter, value: Any) -> list[Any]:
    if parameter.choices:
        return [choice for choice in parameter.choices if choice != value]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [other for other in (2 * value, value // 2, value + 1, value - 1) if other != value]
    if isinstance(value, float):
        return [other for other in (2 * value, value / 2, value + 1) if other != value]
    return []


def _with(domain: BoundDomain, parameters: Mapping[str, Any]) -> BoundDomain:
    """Return a domain with a sample's parameters where its own have their defaults."""
    defaults = {parameter.name: parameter.default for parameter in domain.component.own_parameters()}
    set_anew = {name: value for name, value in domain.values.items() if value != defaults[name]}
    return by_name.domain(domain.component, **{**parameters, **set_anew})


def _checked(domain: BoundDomain, board: Board, plugins: Plugins) -> Instance:
    domain.check(board)
    return Instance(domain, board, plugins)
