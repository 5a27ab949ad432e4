"""Prepare the tables that the runs of an experiment need, before any of them starts and outside their time."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from searchlab.binding.names import parse_name
from searchlab.binding.tables import kept_for_others
from searchlab.board.board import Board
from searchlab.errors import SearchlabError, UsageError
from searchlab.experiments.components import bind
from searchlab.experiments.instances import KnownInstances
from searchlab.plugins import lookup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.experiments.runs import Run
    from searchlab.plugins.registry import Plugins


def prepare_tables(runs: Iterable[Run], plugins: Plugins) -> None:
    """Build the missing tables of these runs, for the workers to open.

    If a build function raises a UsageError for the boards of a run, that run reports it later.

    Raises:
        PluginError: a table cannot be built.
        MachineError: a table cannot be kept for the workers.
    """
    instances = KnownInstances()
    prepared: set[object] = set()
    declared: dict[tuple[tuple[str, str], ...], bool] = {}
    for run in runs:
        parts = tuple(run.parts.items())
        if parts not in declared:
            declared[parts] = _declares_tables(run.parts, plugins)
        rows = run.instance.rows
        need = parts, run.seed, run.instance.static, (len(rows), len(rows[0])) if rows else None
        if declared[parts] and need not in prepared:
            prepared.add(need)
            with suppress(UsageError), kept_for_others():
                _prepare(run, instances, plugins)


def _declares_tables(parts: Mapping[str, str], plugins: Plugins) -> bool:
    """Return whether components of these names have tables, or name heuristics that might have some."""
    try:
        game = parts["domain"]
        components = [lookup.declared(kind, parse_name(name), game, plugins).component for kind, name in parts.items()]
    except SearchlabError:  # its runs say what is wrong
        return False
    names_some = any(parameter.names_heuristics for one in components for parameter in one.own_parameters())
    return names_some or any(component.tables for component in components)


def _prepare(run: Run, instances: KnownInstances, plugins: Plugins) -> None:
    bound = bind(run.parts, run.seed, plugins)
    domain: BoundDomain = bound.pop("domain")
    users: list[Any] = [part for kind, part in bound.items() if kind in ("heuristic", "player")]
    if run.instance.static:
        domain = domain.of(instances.find(run.instance, domain, plugins))
        users = [user.on(domain) for user in users]
    if not any(member.component.tables for part in (domain, *users) for member in part.members):
        return
    rows = run.instance.rows
    domain.prepare(domain.start() if rows is None else Board(rows, signed=True), *users)
