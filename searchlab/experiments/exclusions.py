"""Exclusions: the combinations that an experiment leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from searchlab.binding.names import parse_name
from searchlab.experiments.specification import at
from searchlab.model.component import resolve
from searchlab.plugins.lookup import with_preset

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from searchlab.experiments.components import Part
    from searchlab.experiments.specification import Exclusion
    from searchlab.plugins.registry import Plugins

EXCLUDABLE = ("domain", "heuristic", "frontier", "player")
ENDING = ".txt"


@dataclass(frozen=True)
class Excluded:
    """A component that an exclusion names.

    Attributes:
        file: the file of the plugin.
        name: the first name of the component.
        values: the parameters that the exclusion gives.
    """

    file: str
    name: str
    values: Mapping[str, Any]

    def fits(self, part: Part[Any]) -> bool:
        """Return whether a part of a run is this component with these values."""
        same = (part.plugin.file, part.bound.name) == (self.file, self.name)
        return same and all(part.bound.values.get(key) == value for key, value in self.values.items())


@dataclass(frozen=True)
class Rule:
    """An exclusion with its names looked up.

    Attributes:
        text: the exclusion in words.
        board: a pattern for the names of boards, or `""` for any.
        parts: the excluded components by kind.
    """

    text: str
    board: str
    parts: Mapping[str, Excluded]

    def fits(self, parts: Mapping[str, Part[Any]]) -> bool:
        """Return whether it excludes these parts of a run, by kind."""
        return all(kind in parts and excluded.fits(parts[kind]) for kind, excluded in self.parts.items())

    def fits_board(self, name: str) -> bool:
        """Return whether it excludes a board; a pattern may lack the first folders of a path, and the ending."""
        if not self.board:
            return True
        path, pattern = name.removesuffix(ENDING), self.board.removesuffix(ENDING)
        return fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")


def rules(exclusions: Iterable[Exclusion], plugins: Plugins) -> list[Rule]:
    """Return exclusions with their names looked up.

    Raises:
        SpecificationError: an unknown name or parameter.
    """
    found = []
    for number, exclusion in enumerate(exclusions):
        parts = {}
        for kind in EXCLUDABLE:
            if name := getattr(exclusion, kind):
                with at("exclude", number, kind):
                    parts[kind] = _excluded(kind, name, plugins)
        found.append(Rule(str(exclusion), exclusion.board, parts))
    return found


def _excluded(kind: str, name: str, plugins: Plugins) -> Excluded:
    spelled = parse_name(name)
    registered = plugins.get(kind, spelled)
    component = registered.component
    given = with_preset(component, spelled.parameters)
    values = resolve(f"{kind} {component.name}", component.own_parameters(), given)
    return Excluded(registered.plugin.file, component.name, {key: values[key] for key in given})
