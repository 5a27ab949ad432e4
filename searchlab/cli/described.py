"""All that is known of a component: as data, and as a page for people."""

from __future__ import annotations

import inspect
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from searchlab.binding.names import format_value
from searchlab.model.domain import Domain
from searchlab.model.extensions import Executor, Metric
from searchlab.model.kinds import own_parameters
from searchlab.model.strategies import Frontier, Heuristic, Player
from searchlab.plugins.names import functions_of, source_of

if TYPE_CHECKING:
    from searchlab.model.kinds import Component
    from searchlab.model.parameters import Parameter
    from searchlab.plugins.names import Registered

LABEL_WIDTH = 12
FORMS = {
    Heuristic: ("function", "batch", "incremental", "packed", "line"),
    Player: ("function", "values"),
}
"""What a heuristic may be evaluated by, and a player asked by."""


def described(kind: str, registered: Registered[Any]) -> dict[str, Any]:
    """Return what is known of a component, by labels people understand."""
    component = registered.component
    function = _documented(component)
    return {
        "kind": kind,
        "name": component.name,
        "summary": component.summary,
        "aliases": list(component.aliases),
        "plugin": str(registered.plugin),
        "source": source_of(component) or registered.plugin.file,
        "parameters": [_parameter(parameter) for parameter in own_parameters(component)],
        "properties": _properties(component),
        "description": inspect.getdoc(function) or "",
    }


def description_lines(facts: dict[str, Any], width: int) -> list[str]:
    """Return a page of what `described` found out."""
    lines = [f"{facts['kind']} {facts['name']}", *_wrapped(facts["summary"], width), ""]
    labelled = {
        "aliases": ", ".join(facts["aliases"]),
        "plugin": facts["plugin"],
        **facts["properties"],
        "source": facts["source"],
    }
    for label, text in labelled.items():
        if text:
            lines += _labelled(label, text, width)
    if facts["parameters"]:
        lines += ["", "parameters"]
        for parameter in facts["parameters"]:
            lines += _parameter_lines(parameter, width)
    if facts["description"] and facts["description"].rstrip(".") != facts["summary"].rstrip("."):
        lines += ["", *_paragraphs(facts["description"], width)]
    return lines


def _documented(component: Component) -> Any:
    """Return what has the docstring that says most of a component."""
    function = next(iter(functions_of(component)), None)
    return inspect.getmodule(function) if isinstance(component, Domain) else function


def _parameter(parameter: Parameter) -> dict[str, Any]:
    required = parameter.default is inspect.Parameter.empty
    return {
        "name": parameter.name,
        "default": None if required else parameter.default,
        "required": required,
        "choices": list(parameter.choices),
        "summary": parameter.summary,
    }


def _properties(component: Component) -> dict[str, str]:
    """Return what a component declares of itself."""
    if isinstance(component, Heuristic):
        known = [_claim(component, name) for name in ("admissible", "consistent") if getattr(component, name)]
        return {
            "domains": ", ".join(sorted(component.domains)) or "any",
            "better": "higher (a score)" if component.prefer == "high" else "lower (an estimate)",
            "declared": ", ".join(known) or "neither admissible nor consistent",
            "forms": _forms(component),
        }
    if isinstance(component, Domain):
        return _domain_properties(component)
    if isinstance(component, Frontier):
        return _frontier_properties(component)
    if isinstance(component, Metric):
        return {"values": component.kind}
    if isinstance(component, Executor):
        return {}
    domains = ", ".join(sorted(component.domains)) or "any"
    return {"domains": domains, **({"forms": _forms(component)} if isinstance(component, Player) else {})}


def _claim(component: Heuristic, name: str) -> str:
    return f"{name} (depends on its parameters)" if callable(getattr(component, name)) else name


def _forms(component: Heuristic | Player) -> str:
    return ", ".join(form for form in FORMS[type(component)] if getattr(component, form))


def _domain_properties(component: Domain) -> dict[str, str]:
    searched = {
        "frontier": component.frontier,
        "duplicates": component.duplicates,
        "engine": "compiled or readable" if component.packed else "readable",
    }
    return {
        "start board": "yes" if component.start else "none: name a board",
        "move costs": "all 1" if component.unit_cost else "differ",
        "heuristic": component.heuristic,
        **({"chance": "after each move: it is played, not searched"} if component.chance else searched),
        "points": "yes" if component.points else "",
        "presets": ", ".join(component.presets),
        "like": ", ".join(sorted(component.like)),
        "offers": ", ".join(component.offers),
    }


def _frontier_properties(component: Frontier) -> dict[str, str]:
    guarantees = {
        "never": "no solution is known to be optimal",
        "always": "the first solution is optimal",
        "unit-cost": "the first solution is optimal where every move costs 1",
        "admissible": "the first solution is optimal with an admissible heuristic",
    }
    stated = component.optimal_with
    of_its_own = component.run is not None
    best_first = component.family == "best-first" and not of_its_own
    return {
        "family": "a loop of its own" if of_its_own else component.family,
        "container": component.container if best_first else "",
        "ties": {"low-h": "smaller h, then newest", "newest": "newest"}[component.ties] if best_first else "",
        "duplicates": "early" if component.duplicates == "early" else "as the domain recommends",
        "reopens": "yes" if component.reopens else "no",
        "heuristic": "used" if component.uses_heuristic else "not used",
        "guarantee": guarantees[stated] if isinstance(stated, str) else "depends on its parameters",
        "complete": "yes" if component.complete else "no",
    }


def _labelled(label: str, text: str, width: int) -> list[str]:
    first, *others = wrap(text, max(20, width - LABEL_WIDTH), break_long_words=False) or [""]
    return [f"{label:{LABEL_WIDTH}}{first}", *(" " * LABEL_WIDTH + line for line in others)]


def _parameter_lines(parameter: dict[str, Any], width: int) -> list[str]:
    """Return a parameter as it is spelled, and below it what is known of it."""
    given = parameter["default"]
    default = "" if given is None or (isinstance(given, str) and not given) else format_value(given)
    lines = [f"  {parameter['name']}={default}" if default else f"  {parameter['name']}"]
    choices = f"one of {', '.join(map(str, parameter['choices']))}" if parameter["choices"] else ""
    text = "; ".join(part for part in (parameter["summary"], choices) if part)
    return [*lines, *(f"      {line}" for line in wrap(text, max(20, width - 6)))]


def _paragraphs(text: str, width: int) -> list[str]:
    """Return a docstring with its paragraphs wrapped anew; what is indented in it stays as it is."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        kept = any(line.startswith(" ") for line in paragraph.splitlines())
        lines += ["", *(paragraph.splitlines() if kept else wrap(paragraph, width))]
    return lines[1:]


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width) if text else []
