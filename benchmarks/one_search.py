"""One search of searchlab in this process; what it took and found is printed as JSON."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cpu_time import cpu_seconds

import searchlab as sl
from searchlab.search.enumeration import enumerate_states
from searchlab.search.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_SECONDS = 300.0
FIGURES = ("moves", "cost", "optimal", "expanded", "generated", "stored", "peak_bytes")


def main() -> None:
    """Run what the command line says, and print its figures."""
    asked = arguments()
    limits = sl.Limits(seconds=MOST_SECONDS, expansions=asked.expansions)
    spent = time_the_search()
    found = enumerated(asked.domain, limits, asked.threads) if asked.enumerate else solved(asked, limits)
    if asked.at_once > 1:
        found["wall"] = wall_time_of(asked, limits)
    print(json.dumps({**spent, **found}))


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domain", required=True)
    parser.add_argument("--board", help="its name, or its text of several lines")
    parser.add_argument("--heuristic")
    parser.add_argument("--frontier")
    parser.add_argument("--batch", type=int, help="nodes expanded before the new ones are evaluated")
    parser.add_argument("--plugin", help="a plugin file to load")
    parser.add_argument("--expansions", type=int, help="end after this number, and fail if a solution is found before")
    parser.add_argument("--at-once", type=int, default=1, help="so many times the same search, each in a thread")
    parser.add_argument("--enumerate", action="store_true", help="the whole state space instead of a solution")
    parser.add_argument("--threads", type=int, default=1, help="how many share an enumeration")
    return parser.parse_args()


def time_the_search() -> dict[str, float]:
    """Return where the user and system CPU seconds of the next search will stand: of the loop alone.

    A Watch is entered when everything is loaded and compiled and left before the solution is replayed. What is loaded
    when a search first needs it does not count, here as for the Watch.
    """
    spent: dict[str, float] = {}
    enter, leave, pause = Watch.__enter__, Watch.__exit__, Watch.not_counting

    def count(sign: int) -> None:
        now = resource.getrusage(resource.RUSAGE_SELF)
        for name, seconds in (("user", now.ru_utime), ("system", now.ru_stime)):
            spent[name] = spent.get(name, 0.0) + sign * seconds

    def entered(watch: Watch) -> Watch:
        enter(watch)
        spent.clear()
        count(-1)
        return watch

    def left(watch: Watch, *error: object) -> None:
        count(1)
        leave(watch, *error)

    @contextmanager
    def paused(watch: Watch) -> Iterator[None]:
        count(1)
        with pause(watch):
            yield
        count(-1)

    # The methods of all Watches: nothing else of the search is known here.
    Watch.__enter__, Watch.__exit__, Watch.not_counting = entered, left, paused  # type: ignore[assignment, method-assign]
    return spent


def solved(asked: argparse.Namespace, limits: sl.Limits) -> dict[str, Any]:
    """Return the figures of a search for a solution by the compiled engine."""
    board = (sl.Board.parse if "\n" in asked.board else sl.read_board)(asked.board) if asked.board else None
    plugins = sl.Plugins(files=[asked.plugin] if asked.plugin else [])
    result, whole = whole_call(
        board,
        domain=asked.domain,
        heuristic=asked.heuristic,
        frontier=asked.frontier,
        limits=limits,
        engine="compiled",
        batch=asked.batch,
        plugins=plugins,
    )
    if result.status != ("expansion-limit" if asked.expansions else "solved"):
        sys.exit(f"{result.status}: {result.reason}")
    return {"wall": result.seconds, "whole": whole, **{name: getattr(result, name) for name in FIGURES}}


def whole_call(board: Any, **arguments: Any) -> tuple[sl.Result, float]:
    """Return the result of `sl.solve`, and its CPU seconds once all that a search needs is loaded and compiled."""
    sl.solve(board, **{**arguments, "limits": sl.Limits(seconds=MOST_SECONDS, expansions=1)})
    with cpu_seconds() as took:
        result = sl.solve(board, **arguments)
    return result, sum(took.values())


def wall_time_of(asked: argparse.Namespace, limits: sl.Limits) -> float:
    """Return the wall time of the slowest of several searches at once; everything is compiled and cached by now."""
    with ThreadPoolExecutor(asked.at_once) as pool:
        searches = [pool.submit(solved, asked, limits) for _ in range(asked.at_once)]
        return max(float(search.result()["wall"]) for search in searches)


def enumerated(name: str, limits: sl.Limits, threads: int) -> dict[str, Any]:
    """Return the figures of an enumeration from the start board by the compiled engine."""
    domain = sl.domain(name)
    began = time.perf_counter()
    layers = enumerate_states(domain.start(), domain, Watch(limits), engine="compiled", threads=threads)
    states = 0
    while True:
        try:
            states += next(layers).states
        except StopIteration as end:
            if end.value != "complete":
                sys.exit(end.value)
            return {"wall": time.perf_counter() - began, "states": states}


if __name__ == "__main__":
    main()
