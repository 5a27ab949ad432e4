"""The parameters that are tuned: their places in a component's name, and the values that are tried.

A parameter is named by the kind of its component and its own name, `frontier.weight`. If the value of a parameter is
itself the name of a component, or a list of names, further parts lead into it: `player.heuristic.blanks`,
`heuristic.of.2.corner`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from searchlab.binding.names import format_names, format_value, parse_name, parse_names, with_parameters
from searchlab.errors import UsageError, did_you_mean
from searchlab.experiments.components import domain_part, frontier_part, heuristic_part, player_part
from searchlab.experiments.matrix import GameConfiguration, SearchConfiguration
from searchlab.experiments.specification import TunedParameter, at
from searchlab.model.component import why_no_range
from searchlab.plugins import lookup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from searchlab.binding.bound import Bound
    from searchlab.binding.domain import BoundDomain
    from searchlab.experiments.matrix import Configuration, Matrix
    from searchlab.model.component import Parameter
    from searchlab.plugins.registry import Plugins

    Value = bool | int | float | str

DIGITS = 4
"""The digits of values that are tried: names stay short, and no figure depends on more."""


@dataclass(frozen=True)
class Dimension:
    """A parameter that is tuned.

    Attributes:
        name: as the experiment names it.
        kind: the kind of the component.
        path: the way to the parameter within the component's name.
        default: the value where nothing is tuned.
        low, high: the range of values; None if there are choices.
        log: whether the scale of the range is logarithmic.
        choices: the values; empty if there is a range.
    """

    name: str
    kind: str
    path: tuple[str, ...]
    default: Value
    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[Value, ...] = ()

    @property
    def ends(self) -> tuple[Value, ...]:
        """All choices, or the ends of the range."""
        if self.low is None or self.high is None:
            return self.choices
        return (int(self.low), int(self.high)) if isinstance(self.default, int) else (self.low, self.high)

    @property
    def holds_default(self) -> bool:
        """Whether the default is one of the values that may be tried."""
        if self.low is None or self.high is None:
            return self.default in self.choices
        return self.low <= float(self.default) <= self.high

    def suggested_by(self, trial: Any) -> Value:
        """Return the value that a trial of an optuna study is to have, of four digits."""
        if self.low is None or self.high is None:
            chosen: Value = trial.suggest_categorical(self.name, self.choices)
            return chosen
        if isinstance(self.default, int):
            return int(trial.suggest_int(self.name, int(self.low), int(self.high), log=self.log))
        value = float(trial.suggest_float(self.name, self.low, self.high, log=self.log))
        rounded = min(max(float(f"{value:.{DIGITS}g}"), self.low), self.high)
        return value if value == self.default else rounded

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.name}: {', '.join(map(format_value, self.choices))}"
        scale = ", on a logarithmic scale" if self.log else ""
        outside = "" if self.holds_default else ", which is outside"
        range_ = f"{format_value(self.low)} to {format_value(self.high)}"
        return f"{self.name}: {range_}{scale}; default {format_value(self.default)}{outside}"


class SearchSpace:
    """The configurations among which the best is sought.

    Args:
        matrix: of the experiment, with the default configuration.
        parameters: the parameters to tune, as the experiment says.
        plugins: the plugins that names are looked up in.

    Attributes:
        dimensions: the parameters.

    Raises:
        SpecificationError: a parameter is unknown, has no range, or takes a value of its range badly.
    """

    def __init__(self, matrix: Matrix, parameters: Sequence[str | TunedParameter], plugins: Plugins) -> None:
        self._plugins = plugins
        self._domain = domain_part(matrix.domains[0], plugins)
        defaults, experiment = self._domain.bound.component.defaults, matrix.experiment
        if experiment.players:
            self._names = {"player": experiment.players[0]}
        else:
            named = {"heuristic": experiment.heuristics, "frontier": experiment.frontiers}
            self._names = {kind: next(iter(names), getattr(defaults, kind)) for kind, names in named.items()}
        self.dimensions: list[Dimension] = []
        for number, parameter in enumerate(parameters):
            with at("tune", "parameters", number):
                wanted = TunedParameter(parameter) if isinstance(parameter, str) else parameter
                if any(wanted.name == each.name for each in self.dimensions):
                    raise UsageError(f"{wanted.name} is named twice")
                self.dimensions.append(self._dimension(wanted))
                for end in self.dimensions[-1].ends:
                    self.configuration({wanted.name: end})

    def configuration(self, values: Mapping[str, Value]) -> Configuration:
        """Return the configuration in which parameters have these values, by their names in the experiment.

        Raises:
            UsageError: a component does not take a value.
        """
        names = dict(self._names)
        for dimension in self.dimensions:
            if dimension.name in values:
                names[dimension.kind] = _with_value(names[dimension.kind], dimension.path, values[dimension.name])
        domain = self._domain
        if "player" in names:
            return GameConfiguration(domain, player_part(names["player"], domain.bound, self._plugins), ())
        frontier = frontier_part(names["frontier"], self._plugins, domain.bound)
        return SearchConfiguration(
            domain, heuristic_part(names["heuristic"], domain.bound, self._plugins), frontier, ()
        )

    def _dimension(self, wanted: TunedParameter) -> Dimension:
        kind, *path = wanted.name.split(".")
        if kind not in self._names or not path:
            listed = " or ".join(f"{known}.PARAMETER" for known in self._names)
            raise UsageError(f"{wanted.name}: the parameters of this experiment are called {listed}")
        self._names[kind] = self._explicit(kind, self._names[kind], path)
        parameter, default = self._found(kind, self._names[kind], path)
        place = (wanted.name, kind, tuple(path), default)
        if wanted.choices:
            if not (wanted.low is wanted.high is wanted.log is None):
                raise UsageError(f"{wanted.name} has choices, so it has no low, high or log")
            return Dimension(*place, choices=_without_repetitions(wanted.choices))
        low = parameter.low if wanted.low is None and parameter else wanted.low
        high = parameter.high if wanted.high is None and parameter else wanted.high
        log = bool(parameter and parameter.log) if wanted.log is None else wanted.log
        if low is None and high is None and isinstance(default, bool):
            return Dimension(*place, choices=(False, True))
        if low is None and high is None and parameter and parameter.choices:
            return Dimension(*place, choices=_without_repetitions(parameter.choices))
        if low is None or high is None:
            wants = "low and high" if isinstance(default, int | float) else "choices"
            entry = f'{{ name = "{wanted.name}", {"low = …, high = …" if wants != "choices" else "choices = […]"} }}'
            raise UsageError(f"{wanted.name} has no range: give {wants} as {entry}")
        if wrong := why_no_range(default, low, high, log=log):
            raise UsageError(f"{wanted.name}: {wrong}")
        return Dimension(*place, low, high, log)

    def _explicit(self, kind: str, name: str, path: Sequence[str]) -> str:
        """Return a name in which each component on a path is spelled, even if it is a default."""
        if len(path) < 2:
            return name
        bound, parameter = self._declared(kind, name, path[0])
        listed = _listed(parameter, bound, self._domain.bound)
        inner, rest, place = self._step(kind, bound, parameter, listed, path)
        if inner is None:
            return with_parameters(name, {path[0]: bound.values[path[0]]})
        listed[place] = self._explicit("heuristic", inner, rest)
        return with_parameters(name, {path[0]: format_names(listed) if parameter.kind == "heuristics" else listed[0]})

    def _found(self, kind: str, name: str, path: Sequence[str]) -> tuple[Parameter | None, Value]:
        """Return the parameter at the end of a path with its value; None for a number in a list of numbers."""
        bound, parameter = self._declared(kind, name, path[0])
        if len(path) == 1:
            return parameter, bound.values[path[0]]
        listed = _listed(parameter, bound, self._domain.bound)
        inner, rest, place = self._step(kind, bound, parameter, listed, path)
        return (None, float(listed[place])) if inner is None else self._found("heuristic", inner, rest)

    def _declared(self, kind: str, name: str, key: str) -> tuple[Bound, Parameter]:
        """Return a component, and its parameter with a name."""
        bound: Bound
        if kind == "frontier":
            bound = lookup.frontier(name, plugins=self._plugins)
        else:
            find: Any = lookup.player if kind == "player" else lookup.heuristic
            bound = find(name, domain=self._domain.bound, plugins=self._plugins)
        parameters = {parameter.name: parameter for parameter in bound.component.own_parameters()}
        if key not in parameters:
            raise UsageError(f"{kind} {bound.name} has no parameter {key!r}: {did_you_mean(key, parameters)}")
        return bound, parameters[key]

    def _step(
        self, kind: str, bound: Bound, parameter: Parameter, listed: Sequence[str], path: Sequence[str]
    ) -> tuple[str | None, Sequence[str], int]:
        """Return the name inside a parameter's value that a path leads to, the rest of the path, and the place.

        The name is None for a number in a list of numbers.
        """
        what, rest, place = f"{kind} {bound.name}: {parameter.name}", path[1:], 0
        if not isinstance(parameter.default, str):
            raise UsageError(f"{what} is a number, not a component with a parameter {rest[0]}")
        if parameter.kind != "heuristic" and parameter.kind != "afterstate_heuristic":
            number, rest = rest[0], rest[1:]
            if not (number.isdecimal() and 1 <= int(number) <= len(listed)):
                many = f"it has {len(listed)}: {', '.join(listed)}" if listed else "it is empty: name them"
                raise UsageError(f"{what} is a list, of which parts are named by numbers from 1, and {many}")
            place = int(number) - 1
        if parameter.names_heuristics:
            if not listed or not listed[place]:
                raise UsageError(f"{what} is empty: name a heuristic there")
            if not rest:
                raise UsageError(f"{what}: {listed[place]} is a heuristic: name a parameter of it")
            return listed[place], rest, place
        if rest or not _is_number(listed[place]):
            raise UsageError(f"{what}: {listed[place]} is neither a component nor a number")
        return None, rest, place


def _listed(parameter: Parameter, bound: Bound, domain: BoundDomain) -> list[str]:
    """Return the names of heuristics, or the numbers, in the value of a parameter."""
    value = str(bound.values[parameter.name])
    if parameter.kind == "heuristics":
        return [one for one in parse_names(value) if one] or [str(domain.component.defaults.heuristic)]
    if parameter.names_heuristic:
        return [value or lookup.own_heuristic(parameter, domain)]
    return value.split()


def _with_value(name: str, path: Sequence[str], value: Value) -> str:
    """Return a name in which the parameter at the end of a path has a value.

    >>> _with_value("expectimax:heuristic=[smooth:blanks=3,merges=4],depth=2", ["heuristic", "blanks"], 5.0)
    'expectimax:heuristic=[smooth:blanks=5,merges=4],depth=2'
    >>> _with_value("max:of=[taxicab,left:corner=1]", ["of", "2", "corner"], 2)
    'max:of=[taxicab,left:corner=2]'
    """
    key, *rest = path
    if not rest:
        return with_parameters(name, {key: value})
    inner = parse_name(name).parameters[key]
    if not rest[0].isdecimal():
        return with_parameters(name, {key: _with_value(inner, rest, value)})
    place = int(rest[0]) - 1
    if len(rest) == 1:
        numbers = inner.split()
        numbers[place] = format_value(value)
        return with_parameters(name, {key: " ".join(numbers)})
    names = parse_names(inner)
    names[place] = _with_value(names[place], rest[1:], value)
    return with_parameters(name, {key: format_names(names)})


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _without_repetitions(choices: Sequence[Value]) -> tuple[Value, ...]:
    if len({*map(format_value, choices)}) < 2:
        raise UsageError(f"two choices or more are needed, not {', '.join(map(format_value, choices))}")
    return tuple({format_value(choice): choice for choice in choices}.values())
