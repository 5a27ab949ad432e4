"""The types of components, by the names they have on the command line and in the names of hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.model.domain import Domain
from searchlab.model.extensions import Executor, Generator, Learner, Metric, Renderer
from searchlab.model.strategies import Frontier, Heuristic, Player

if TYPE_CHECKING:
    from searchlab.model.component import Component

COMPONENT_TYPES: dict[str, type[Component]] = {
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


def component_kind(component: Component) -> str:
    """Return the name of a component's type."""
    return next(kind for kind, made in COMPONENT_TYPES.items() if isinstance(component, made))
