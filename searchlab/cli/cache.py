"""`searchlab cache`: list and clear compiled functions and prepared tables."""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Group
from searchlab.cli.layout import table_in_parts
from searchlab.cli.options import common_options, json_option
from searchlab.cli.output import as_json, page_width, put
from searchlab.compiler.numba_private import why_plain
from searchlab.errors import UsageError
from searchlab.files.cache import UNFINISHED, CacheEntry, cache_entries, cache_folder, remove_entry
from searchlab.model.formatting import counted, duration, memory

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = {"machine-code": "machine code", "tables": "table"}
"""The kinds that can be cleared; unfinished tables are cleared with the others."""
NOUNS = {"machine code": "function", "table": "table", UNFINISHED: UNFINISHED}
SHORTEST_KEY = 6


@click.group(
    cls=Group,
    invoke_without_command=True,
    subcommand_metavar="[list|clear]",
    examples=("searchlab cache", "searchlab cache list", "searchlab cache clear tables"),
)
@json_option("the sums")
@common_options
@click.pass_context
def cache(context: click.Context, json: bool) -> None:
    """Show and clear the cache: machine code and tables.

    Everything in the cache is made again when it is needed; clearing it costs only time.
    """
    if context.invoked_subcommand is None:
        show(json=json)


def show(*, json: bool) -> None:
    """Print the location of the cache, and the size of each kind."""
    folder = cache_folder()
    entries = cache_entries(folder.path)
    sums = [_sum(kind, list(some)) for kind, some in groupby(entries, key=lambda entry: entry.kind)]
    plain = why_plain()
    if json:
        put(as_json({"folder": str(folder.path), "fault": folder.fault, "plain_numba": plain, "holds": sums}), end="")
        return
    put(str(folder.path))
    if folder.fault:
        put(f"not used: {folder.fault}")
    if plain:
        put(f"each process compiles what it needs by plain numba, and keeps no machine code: {plain}")
    rows = [[str(each["kind"]), f"{each['count']:,}", memory(each["bytes"]), _age(each["used"])] for each in sums]
    put("")
    _put_rows(["", "number", "size", "last used"], rows)


def _sum(kind: str, entries: Sequence[CacheEntry]) -> dict[str, Any]:
    return {
        "kind": kind,
        "count": len(entries),
        "bytes": sum(entry.bytes for entry in entries),
        "used": max(entry.used for entry in entries),
    }


@cache.command(
    "list",
    short_help="List the entries: size, purpose, last use.",
    examples=("searchlab cache list", "searchlab cache list --json"),
)
@json_option("the list")
@common_options
def list_cache(json: bool) -> None:
    """List the prepared tables and the functions with cached machine code."""
    entries = cache_entries(cache_folder().path)
    if json:
        put(as_json([_as_dict(entry) for entry in entries]), end="")
        return
    rows = []
    for (kind, name), group in groupby(entries, key=lambda entry: (entry.kind, entry.name)):
        some = list(group)
        if kind == "machine code":  # the same function for boards of several shapes
            size, used = sum(entry.bytes for entry in some), max(entry.used for entry in some)
            rows.append([name, counted(len(some), "function"), memory(size), _age(used)])
        else:
            rows += [[name, entry.key[:SHORTEST_KEY], memory(entry.bytes), _age(entry.used)] for entry in some]
    _put_rows(["what for", "key", "size", "last used"], rows)


def _as_dict(entry: CacheEntry) -> dict[str, Any]:
    return {
        **{"kind": entry.kind, "name": entry.name, "key": entry.key, "bytes": entry.bytes, "used": entry.used},
        "files": [str(path) for path in entry.files],
    }


def _put_rows(head: list[str], rows: list[list[str]]) -> None:
    if not rows:
        put("nothing is kept")
        return
    for line in table_in_parts([head, *rows], page_width()):
        put(line)


def _age(used: float) -> str:
    return f"{duration(max(0, round(time.time() - used)))} ago"


@cache.command(
    short_help="Clear all, machine code, tables, or one table.",
    examples=("searchlab cache clear tables", "searchlab cache clear all"),
)
@click.argument("what", nargs=-1, required=True, metavar="all|machine-code|tables|KEY…")
@common_options
def clear(what: tuple[str, ...]) -> None:
    """Clear the whole cache, the machine code, the prepared tables, or entries by KEY (see `searchlab cache list`).

    Running processes are not disturbed; a table that is being built stays.
    """
    entries = cache_entries(cache_folder().path)
    chosen = {entry.files: entry for name in what for entry in _named(name, entries)}
    cleared = [entry for entry in chosen.values() if remove_entry(entry)]
    if not cleared:
        put("nothing to clear")
    for kind, group in groupby(cleared, key=lambda entry: entry.kind):
        some = list(group)
        put(f"cleared {counted(len(some), NOUNS[kind])}, {memory(sum(entry.bytes for entry in some))}")
    if len(cleared) < len(chosen):
        put(f"{counted(len(chosen) - len(cleared), 'table')} being built stays")


def _named(name: str, entries: Sequence[CacheEntry]) -> list[CacheEntry]:
    """Return the entries that an argument of `clear` names.

    Raises:
        UsageError: it names none.
    """
    if name == "all":
        return list(entries)
    if name in KINDS:
        kinds = (KINDS[name], UNFINISHED) if name == "tables" else (KINDS[name],)
        return [entry for entry in entries if entry.kind in kinds]
    found = [entry for entry in entries if len(name) >= SHORTEST_KEY and entry.key.startswith(name)]
    if not found:
        raise UsageError(
            f"{name!r} is neither all, machine-code nor tables, and no key that searchlab cache list shows"
        )
    return found
