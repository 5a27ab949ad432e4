"""`searchlab plugins`: list and describe the components of plugins, find the owner of a name, write a new plugin."""

from __future__ import annotations

import inspect
from math import inf
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from searchlab.binding.names import format_value
from searchlab.cli.check import check
from searchlab.cli.help import Group
from searchlab.cli.names import Name
from searchlab.cli.options import OUTPUT_PATH, common_options, json_option
from searchlab.cli.output import as_json, put, tell
from searchlab.cli.session import Session
from searchlab.errors import UsageError, did_you_mean
from searchlab.model.component import extra_parameters
from searchlab.model.domain import Domain
from searchlab.model.extensions import Executor, Metric
from searchlab.model.strategies import ADDED_TO, NEAREST_OF, Frontier, Heuristic, Player
from searchlab.plugins.found import functions_of, source_of

if TYPE_CHECKING:
    from searchlab.model.component import Component, Parameter
    from searchlab.plugins.found import Found
    from searchlab.plugins.registry import Plugins

KIND_WIDTH = 10
NARROWEST_SUMMARY = 20
"""The narrowest column of summaries; if it would be narrower, summaries are printed below the names."""

LABEL_WIDTH = 12
FORMS = {
    Heuristic: ("function", "batch", "carry", "incremental", "packed", "line", "between"),
    Player: ("function", "values"),
}
"""The functions that heuristics and players may have."""


@click.group(
    cls=Group,
    invoke_without_command=True,
    subcommand_metavar="[list|show|which|check|new]",
    examples=(
        "searchlab plugins list heuristic",
        "searchlab plugins show taxicab",
        "searchlab plugins new mine --output mine.py",
    ),
)
@json_option("the list")
@common_options
@click.pass_context
def plugins(ctx: click.Context, json: bool) -> None:
    """List plugins; show, check or write a component."""
    if ctx.invoked_subcommand is None:
        put_list(ctx.ensure_object(Session), json=json)


@plugins.command(
    short_help="Show a component of a plugin.",
    examples=("searchlab plugins show taxicab", "searchlab plugins show player greedy"),
)
@click.argument("name", nargs=-1, required=True, metavar="[KIND] NAME")
@json_option("the description")
@common_options
@click.pass_obj
def show(session: Session, name: tuple[str, ...], json: bool) -> None:
    """Show the parameters, properties and source of a component.

    If several components have the name, all are shown; KIND (domain, heuristic, frontier, player, generator, executor,
    metric, renderer, learner) selects one.
    """
    from searchlab.cli.arguments import resolve_name
    from searchlab.cli.output import page_width

    _, matches = resolve_name(session.plugins, name)
    pages = [description(found) for found in matches]
    if json:
        put(as_json(pages), end="")
        return
    for number, facts in enumerate(pages):
        if number:
            put("")
        for line in description_lines(facts, page_width()):
            put(line)


plugins.add_command(check)


@plugins.command(
    "list",
    short_help="List plugins and their components.",
    examples=("searchlab plugins list", "searchlab plugins list heuristic", "searchlab plugins list --failed"),
)
@click.argument("kind", required=False, metavar="[KIND]")
@click.option("--failed", is_flag=True, help="List only plugins that were left out, and why.")
@json_option("the list")
@common_options
@click.pass_obj
def list_plugins(session: Session, kind: str | None, failed: bool, json: bool) -> None:
    """List plugins with their components, and plugins that were left out; `searchlab plugins` alone does the same.

    KIND (domain, heuristic, frontier, player, generator, executor, metric, renderer, learner, command, hook) lists only
    that kind; the plural works, too.
    """
    put_list(session, json=json, failed=failed, kind=kind)


def put_list(session: Session, *, json: bool, failed: bool = False, kind: str | None = None) -> None:
    """Print every plugin with its components, and plugins that were left out; with `failed` only the latter."""
    wanted = None if kind is None else kind_to_list(kind)
    session.reports_problems = False
    listed = _plugin_list(session)
    if wanted is not None:
        listed["plugins"] = [
            {key: [] if isinstance(value, list) and key != wanted else value for key, value in plugin.items()}
            for plugin in listed["plugins"]
            if plugin[wanted]
        ]
    if failed:
        del listed["plugins"]
    if json:
        put(as_json(listed), end="")
    elif failed:
        _print_failed(listed["problems"])
    else:
        _print_list(listed)


def kind_to_list(kind: str) -> str:
    """Return the key of a kind in the list of plugins; the kind may be given in the plural.

    Raises:
        UsageError: there is no such kind.
    """
    from searchlab.model.component_types import COMPONENT_TYPES

    kinds = (*COMPONENT_TYPES, "command", "hook")
    if kind.removesuffix("s") not in kinds:
        raise UsageError(f"there is no kind {kind!r}: {did_you_mean(kind, kinds)}")
    return f"{kind.removesuffix('s')}s"


def _plugin_list(session: Session) -> dict[str, Any]:
    """Return every plugin with its components, and plugins that were left out."""
    from searchlab.cli.program import BUILT_IN
    from searchlab.model.component_types import COMPONENT_TYPES

    host = session.plugins
    host.check_names()
    brought = [(kind, registered) for kind in COMPONENT_TYPES for registered in host.all(kind)]
    commands = host.registered_commands(BUILT_IN)
    listed = [
        {
            "name": plugin.name,
            "version": plugin.version,
            "module": plugin.module.__name__,
            "file": plugin.file,
            **{
                f"{kind}s": [
                    {"name": r.component.name, "aliases": list(r.component.aliases), "summary": r.component.summary}
                    for k, r in brought
                    if k == kind and r.plugin is plugin
                ]
                for kind in COMPONENT_TYPES
            },
            "commands": [
                {"name": name, "aliases": [], "summary": command.component.get_short_help_str(200)}
                for name, command in commands.items()
                if command.plugin is plugin
            ],
            "hooks": [
                {"name": name, "aliases": [], "summary": summary}
                for name, summary in host.notifications(plugin).items()
            ],
        }
        for plugin in host.loaded
    ]
    return {"plugins": listed, "problems": [{"source": p.source, "what": p.what} for p in host.problems]}


def _print_list(listed: dict[str, Any]) -> None:
    from searchlab.cli.output import page_width
    from searchlab.model.component_types import COMPONENT_TYPES

    width = page_width()
    kinds = (*COMPONENT_TYPES, "command", "hook")
    names = [thing["name"] for plugin in listed["plugins"] for kind in kinds for thing in plugin[f"{kind}s"]]
    name_width = max(map(len, names), default=0)
    for number, plugin in enumerate(listed["plugins"]):
        if number:
            put("")
        where = plugin["module"] if plugin["version"] else plugin["file"]
        put(f"{plugin['name']} {plugin['version']}".strip() + f" ({where})")
        for kind in kinds:
            for thing in plugin[f"{kind}s"]:
                _print_item(f"  {kind:{KIND_WIDTH}} {thing['name']:{name_width}}  ", thing, width)
    if listed["problems"]:
        put("\nleft out:")
        for problem in listed["problems"]:
            put(f"  plugin {problem['source']}: {problem['what']}")


def _print_failed(problems: list[dict[str, str]]) -> None:
    for problem in problems:
        put(f"plugin {problem['source']}: {problem['what']}")
    if not problems:
        put("nothing was left out")


def _print_item(head: str, thing: dict[str, Any], width: int) -> None:
    """Print a component: kind and name, with the summary beside them or, on a narrow page, below."""
    aliases = f"also {', '.join(thing['aliases'])}" if thing["aliases"] else ""
    text = "; ".join(part for part in (thing["summary"].rstrip("."), aliases) if part)
    indent = " " * len(head)
    if width - len(head) < NARROWEST_SUMMARY:
        for line in wrap(" ".join(head.split()), width - 2, break_long_words=False, break_on_hyphens=False):
            put(f"  {line}")
        head = indent = "    "
    for number, line in enumerate(wrap(text, width - len(head)) or [""]):
        put(f"{indent if number else head}{line}".rstrip())


@plugins.command(
    short_help="Show which component a name means, and who else claims it.",
    examples=("searchlab plugins which taxicab", "searchlab plugins which frontier greedy"),
)
@click.argument("name", nargs=-1, required=True, metavar="[KIND] NAME")
@json_option("the meanings")
@common_options
@click.pass_obj
def which(session: Session, name: tuple[str, ...], json: bool) -> None:
    """Show which component a name means: its plugin and file, its full name and its aliases.

    Other plugins that claim the name are shown, too: a name claimed twice must be written in full. KIND (domain,
    heuristic, frontier, player, generator, executor, metric, renderer, learner) selects one of several kinds.
    """
    from searchlab.cli.arguments import resolve_name

    spelled, matches = resolve_name(session.plugins, name)
    meanings = [_meaning(session.plugins, found, spelled.name) for found in matches]
    if json:
        put(as_json(meanings), end="")
        return
    for number, meaning in enumerate(meanings):
        if number:
            put("")
        _print_meaning(meaning)


def _meaning(plugins: Plugins, meant: Found[Any], name: str) -> dict[str, Any]:
    """Return the component of a name, and the other components of its kind that claim the name."""
    from searchlab.binding.names import Spelled
    from searchlab.plugins.found import full_name, source_of

    registered = plugins.all(meant.kind)
    rivals = [r for r in registered if r.is_called(Spelled(name)) and r.component is not meant.component]
    return {
        "kind": meant.kind,
        "name": meant.component.name,
        "full_name": full_name(meant, registered),
        "aliases": list(meant.component.aliases),
        "plugin": meant.plugin.name,
        "version": meant.plugin.version,
        "file": source_of(meant.component) or meant.plugin.file,
        "claimed_by": [
            {"full_name": full_name(rival, registered), "file": source_of(rival.component) or rival.plugin.file}
            for rival in rivals
        ],
    }


def _print_meaning(meaning: dict[str, Any]) -> None:
    put(f"{meaning['kind']} {meaning['name']}")
    rivals = [f"{rival['full_name']} ({rival['file']})" for rival in meaning["claimed_by"]]
    labelled = {
        "full name": [meaning["full_name"]],
        "aliases": [", ".join(meaning["aliases"])],
        "plugin": [f"{meaning['plugin']} {meaning['version']}".strip()],
        "file": [meaning["file"]],
        "claimed by": [f"also {rival}" for rival in rivals],
    }
    for label, texts in labelled.items():
        for text in filter(None, texts):
            put(f"{label:{LABEL_WIDTH}}{text}")


def description(found: Found[Any]) -> dict[str, Any]:
    """Return all facts about a component by label."""
    component = found.component
    function = _documented(component)
    return {
        "kind": found.kind,
        "name": component.name,
        "summary": component.summary,
        "aliases": list(component.aliases),
        "plugin": str(found.plugin),
        "source": source_of(component) or found.plugin.file,
        "parameters": [_parameter(parameter) for parameter in component.own_parameters()],
        "properties": _properties(component),
        "description": inspect.getdoc(function) or "",
    }


def description_lines(facts: dict[str, Any], width: int) -> list[str]:
    """Return the page of a `description`."""
    lines = [f"{facts['kind']} {facts['name']}", *_wrapped(facts["summary"], width), ""]
    labelled = {
        "aliases": ", ".join(facts["aliases"]),
        "plugin": facts["plugin"],
        **facts["properties"],
        "source": facts["source"],
    }
    for label, text in labelled.items():
        if text:
            lines += _labelled_lines(label, text, width)
    if facts["parameters"]:
        lines += ["", "parameters"]
        for parameter in facts["parameters"]:
            lines += _parameter_lines(parameter, width)
    if facts["description"] and facts["description"].rstrip(".") != facts["summary"].rstrip("."):
        lines += ["", *_paragraphs(facts["description"], width)]
    return lines


def _documented(component: Component) -> Any:
    """Return the object with the best docstring for a component."""
    function = next(iter(functions_of(component)), None)
    return inspect.getmodule(function) if isinstance(component, Domain) else function


def _parameter(parameter: Parameter) -> dict[str, Any]:
    required = parameter.default is inspect.Parameter.empty
    return {
        "name": parameter.name,
        "default": None if required else parameter.default,
        "required": required,
        "choices": list(parameter.choices),
        "low": parameter.low,
        "high": parameter.high,
        "log": parameter.log,
        "summary": parameter.summary,
    }


def _properties(component: Component) -> dict[str, str]:
    """Return the properties that a component declares."""
    if isinstance(component, Heuristic):
        known = [_declared(component, name) for name in ("admissible", "consistent") if getattr(component, name)]
        return {
            "domains": ", ".join(sorted(component.domains)) or "any",
            "better": _better(component),
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


def _declared(component: Heuristic, name: str) -> str:
    stated = getattr(component, name)
    asked = {parameter.name for parameter in extra_parameters(stated, 0)} if callable(stated) else set()
    return f"{name} (depends on its parameters)" if asked - {ADDED_TO} else name


def _forms(component: Heuristic | Player) -> str:
    """Return the names of the functions that the author has written."""
    given = {form: getattr(component, form) for form in FORMS[type(component)]}
    return ", ".join(form for form, function in given.items() if function and not hasattr(function, NEAREST_OF))


def _move_costs(component: Domain) -> str:
    if isinstance(component.unit_cost, bool):
        return "all 1" if component.unit_cost else "differ"
    asked = {parameter.name for parameter in extra_parameters(component.unit_cost, 0)}
    return f"all 1, or differ, by {'the instance' if asked & {*component.static} else 'its parameters'}"


def _domain_properties(component: Domain) -> dict[str, str]:
    searched = {
        "frontier": component.defaults.frontier,
        "duplicates": component.defaults.duplicates,
        "engine": "compiled or readable" if component.packed else "readable",
    }
    afterstates = component.defaults.afterstate_heuristic
    return {
        "start board": "yes" if component.start else f"none: name {'an instance' if component.static else 'a board'}",
        "move costs": _move_costs(component),
        "heuristic": component.defaults.heuristic,
        "afterstates": afterstates if isinstance(afterstates, str) else "by its parameters",
        **({"chance": "after each move: it is played, not searched"} if component.chance else searched),
        "points": "yes" if component.has_points else "",
        "backwards": "every move can be taken back"
        if component.inverse == "same"
        else "listed" * bool(component.inverse),
        "goals": "listed" if component.goals else "",
        "presets": ", ".join(component.presets),
        "compatible": ", ".join(sorted(component.compatible_with)),
        "values": ", ".join(component.values),
        "static data": ", ".join(component.static),
        "files": ", ".join(component.files.suffixes) or ("in a format of its own" if component.files.parse else ""),
    }


def _better(component: Heuristic) -> str:
    if component.combine:
        return "as for the combined heuristics"
    return "higher (a score)" if component.prefer == "high" else "lower (an estimate)"


def _frontier_properties(component: Frontier) -> dict[str, str]:
    guarantees = {
        "never": "no solution is known to be optimal",
        "always": "the first solution is optimal",
        "unit-cost": "the first solution is optimal where every move costs 1",
        "admissible": "the first solution is optimal with an admissible heuristic",
    }
    if component.family in ("anytime-beam", "rectangle") or component.thresholds:
        guarantees["never"] = "the last solution is optimal, once the search ends without a limit"
    factor = component.within
    guarantee = guarantees[component.optimal_with]
    if factor != 1 and component.optimal_with != "never":
        within = "a factor that its parameters give" if callable(factor) else f"{factor:g} ×"
        guarantee = guarantee.replace("optimal", f"within {within} of the optimum")
    if component.bound != inf:
        bound = "the bound" if callable(component.bound) else f"{component.bound:g}"
        guarantee = f"goes on until the cost is at most {bound} × the lower bound"
    if component.cost_limit != inf:
        limit = "a limit that its parameters give" if callable(component.cost_limit) else f"{component.cost_limit:g}"
        guarantee = f"no solution costs more than {limit}"
    of_its_own = component.run is not None
    came_from = {"open": "where a round ended", "start": "the start"}
    best_first = component.family == "best-first" and not of_its_own
    return {
        "family": "a loop of its own" if of_its_own else component.family,
        "container": component.container if best_first else "",
        "queues": f"{len(component.queues)}, {component.choose}" if component.queues else "",
        "heuristic": "used" if component.uses_heuristic else "not used",
        "guarantee": guarantee,
        "restarts": f"with other parameters, from {came_from[component.restart_from]}" if component.restart else "",
        "complete": "yes" if component.is_complete else "no",
    }


def _labelled_lines(label: str, text: str, width: int) -> list[str]:
    first, *others = wrap(text, max(20, width - LABEL_WIDTH), break_long_words=False) or [""]
    return [f"{label:{LABEL_WIDTH}}{first}", *(" " * LABEL_WIDTH + line for line in others)]


def _parameter_lines(parameter: dict[str, Any], width: int) -> list[str]:
    """Return a parameter as `name=default`, with its summary, choices and range below."""
    given = parameter["default"]
    default = "" if given is None or (isinstance(given, str) and not given) else format_value(given)
    lines = [f"  {parameter['name']}={default}" if default else f"  {parameter['name']}"]
    choices = f"one of {', '.join(map(str, parameter['choices']))}" if parameter["choices"] else ""
    scale = ", on a logarithmic scale" if parameter["log"] else ""
    ends = [format_value(parameter[end]) for end in ("low", "high")]
    tuned = f"tuned from {ends[0]} to {ends[1]}{scale}" if parameter["low"] is not None else ""
    text = "; ".join(part for part in (parameter["summary"], choices, tuned) if part)
    return [*lines, *(f"      {line}" for line in wrap(text, max(20, width - 6)))]


def _paragraphs(text: str, width: int) -> list[str]:
    """Return a docstring with its paragraphs wrapped, except indented ones."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        kept = any(line.startswith(" ") for line in paragraph.splitlines())
        lines += ["", *(paragraph.splitlines() if kept else wrap(paragraph, width))]
    return lines[1:]


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width) if text else []


@plugins.command(
    short_help="Write a plugin to start from.",
    examples=(
        "searchlab plugins new mine --output mine.py",
        "searchlab plugins new tiles --kind domain --form permutation --output tiles.py",
        "searchlab plugins new lights --kind domain --package",
    ),
)
@click.argument("name", type=Name(""))
@click.option(
    "--kind", default="heuristic", show_default=True, metavar="KIND", help="heuristic, frontier, domain, player."
)
@click.option(
    "--form",
    default="",
    metavar="FORM",
    help="Form of a domain: board (a game on a grid, the default), permutation (of 1 to n), map (files of instances), "
    "states (texts, numbers, tuples or frozensets).",
)
@click.option("--package", is_flag=True, help="Write a distribution: pyproject.toml, module, tests, README.")
@click.option(
    "--output",
    type=OUTPUT_PATH,
    metavar="PATH",
    help="Write to this file; with --package, to this folder (default searchlab-NAME).",
)
@common_options
@click.pass_obj
def new(session: Session, name: str, kind: str, form: str, package: bool, output: Path | None) -> None:
    """Write a plugin to start from: one working file, with a test.

    NAME is the name of the new heuristic, frontier strategy, domain or player: lower-case letters, digits, hyphens. The
    file is printed; --output writes it, --package writes a distribution around it. Nothing is overwritten.
    """
    from searchlab.testing.scaffold import SCAFFOLDED, Scaffold

    if kind not in SCAFFOLDED:
        raise UsageError(f"there is no kind {kind!r} of plugin: {did_you_mean(kind, SCAFFOLDED)}")
    scaffold = Scaffold(name, kind, form)
    session.reports_problems = False
    taken = [r for r in session.plugins.all(kind) if name in r.names]
    if taken:
        raise UsageError(f"{kind} {name!r} exists already ({taken[0].plugin}): take another name")
    if package:
        folder = output or Path(scaffold.distribution)
        scaffold.write_package(folder)
        _print_next(folder, scaffold.next_in_package(folder))
    elif output:
        scaffold.write_file(output)
        _print_next(output, scaffold.next_with(output))
    else:
        put(scaffold.text("plugin"), end="")
        files = " and ".join(filter(None, ("this", scaffold.instances)))
        tell(f"add --output {scaffold.file_name} to write {files}; then try:")
        for command in scaffold.next_with(Path(scaffold.file_name)):
            tell(command)


def _print_next(written: Path, commands: list[str]) -> None:
    put(f"wrote {written}; try:")
    for command in commands:
        put(f"  {command}")
