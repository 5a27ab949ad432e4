"""The types of components, by the names they have on the command line and in the names of hooks."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.model.component import Component

HOMES = {
    "domain": "domain.Domain",
    "heuristic": "strategies.Heuristic",
    "frontier": "strategies.Frontier",
    "player": "strategies.Player",
    "generator": "extensions.Generator",
    "executor": "extensions.Executor",
    "metric": "extensions.Metric",
    "renderer": "extensions.Renderer",
    "learner": "extensions.Learner",
}
"""The module of this package and the class of each kind."""


class ComponentTypes(Mapping[str, "type[Component]"]):
    """The types by the names of the kinds; a type is imported on first access, as `--help` needs none."""

    def __getitem__(self, kind: str) -> type[Component]:
        module, _, name = HOMES[kind].partition(".")
        found: type[Component] = getattr(import_module(f"{__package__}.{module}"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(HOMES)

    def __len__(self) -> int:
        return len(HOMES)


COMPONENT_TYPES = ComponentTypes()


def component_kind(component: Component) -> str:
    """Return the name of a component's type."""
    return next(kind for kind, made in COMPONENT_TYPES.items() if isinstance(component, made))
