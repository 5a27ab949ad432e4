"""The kinds of components there are, and the parameters of a component of any kind.

Kinds are called on the command line, and in the names of hooks, as they are in KINDS.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from searchlab.model.domain import Domain
from searchlab.model.extensions import Executor, Generator, Learner, Metric, Renderer
from searchlab.model.parameters import Parameter, extra_parameters
from searchlab.model.strategies import SUPPLIED, Frontier, Heuristic, Player

Component: TypeAlias = Domain | Heuristic | Frontier | Player | Generator | Executor | Metric | Renderer | Learner

KINDS: dict[str, type[Any]] = {
    "domain": Domain,
    "heuristic": Heuristic,
    "frontier": Frontier,
    "player": Player,
    "generator": Generator,
    "executor": Executor,
    "metric": Metric,
    "renderer": Renderer,
    "learner": Learner,
}


def kind_of(component: Component) -> str:
    """Return which kind a component is of."""
    return next(kind for kind, made in KINDS.items() if isinstance(component, made))


def own_parameters(component: Component) -> tuple[Parameter, ...]:
    """Return the parameters a component declares, completed by those of its function."""
    declared = {parameter.name: parameter for parameter in component.parameters}
    if isinstance(component, Heuristic):
        forms = (component.function, component.batch)
        of_function = tuple(parameter for form in forms if form for parameter in extra_parameters(form))
    elif isinstance(component, Frontier):
        function = component.run or component.priority
        of_function = extra_parameters(function, 2) if function else ()
    elif isinstance(component, Player):
        asked = [parameter for form in component.forms for parameter in extra_parameters(form, 2)]
        of_function = tuple(_heuristic_by_name(p) for p in asked if p.name not in SUPPLIED)
    elif isinstance(component, Domain):
        of_function = ()
    elif isinstance(component, Learner):
        of_function = extra_parameters(component.function, 2)
    else:
        of_function = extra_parameters(component.function)
    for parameter in of_function:
        declared.setdefault(parameter.name, parameter)
    if isinstance(component, Frontier) and component.duplicates == "domain":
        summary = "when duplicates are detected; by default as the domain recommends"
        declared["duplicates"] = Parameter("duplicates", "", summary, ("early", "late"))
    return tuple(declared.values())


def _heuristic_by_name(parameter: Parameter) -> Parameter:
    """Return a parameter of a player's function, one called `heuristic` as the name of a heuristic."""
    if parameter.name != "heuristic":
        return parameter
    default = parameter.default if isinstance(parameter.default, str) else ""
    return Parameter("heuristic", default, "what judges boards; by default the domain's own", kind="heuristic")
