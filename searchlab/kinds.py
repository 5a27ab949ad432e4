"""The kinds of components there are, by what they are called on the command line and in the names of hooks."""

from __future__ import annotations

from typing import Any, TypeAlias

from searchlab.accessories import Executor, Generator, Learner, Metric, Renderer
from searchlab.components import Frontier, Heuristic, Player
from searchlab.rules import Domain

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
