"""A planning task in this process, by searchlab or by pyperplan; what it took and found is printed as JSON.

    python benchmarks/one_plan.py searchlab|pyperplan search gripper-8 HEURISTIC FRONTIER
    python benchmarks/one_plan.py searchlab|pyperplan grounding blocks-20

`search` is one search, after parsing and grounding; `grounding` parses and grounds the task ten times. Both programs
read the same two texts: balls of a gripper, or a tower of blocks that is turned over. Names are those of searchlab.
"""

from __future__ import annotations

import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpu_time import cpu_seconds

from searchlab_plugins.strips.files import instance_of
from searchlab_plugins.strips.tasks import DOMAINS, blocks_problem, gripper_problem

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = 10
OF_PYPERPLAN = {"astar": "astar", "greedy": "gbf", "hmax": "hmax", "hadd": "hadd", "ff": "hff"}
"""What pyperplan calls the frontiers and heuristics."""


def task(name: str) -> tuple[str, str]:
    """Return the texts of a domain and of a problem of some size, such as gripper-8."""
    domain, _, size = name.partition("-")
    number = int(size)
    tower = list(range(1, number + 1))
    problem = gripper_problem(number) if domain == "gripper" else blocks_problem([tower], [tower[::-1]])
    return DOMAINS[domain], problem


def by_searchlab(texts: tuple[str, str], names: list[str]) -> dict[str, Any]:
    """Return what a search took and found."""
    from one_search import time_the_search, whole_call

    heuristic, frontier = names
    parts = {"domain": "strips", "heuristic": heuristic, "frontier": frontier, "engine": "compiled"}
    spent = time_the_search()
    result, whole = whole_call(instance_of(*texts), **parts)
    return {**spent, "whole": whole, "cost": result.cost, "expanded": result.expanded}


def by_pyperplan(grounded: Callable[[], Any], names: list[str]) -> dict[str, Any]:
    """Return the same of pyperplan, whose actions all cost 1."""
    planner = import_module("pyperplan.planner")
    heuristic, search = (OF_PYPERPLAN[name] for name in names)
    known = grounded()
    with cpu_seconds() as took:
        plan = planner.SEARCHES[search](known, planner.HEURISTICS[heuristic](known))
    return {**took, "cost": len(plan)}


def main() -> None:
    """Do what the command line says, and print the figures."""
    program, part, name, *names = sys.argv[1:]
    texts = task(name)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, file) for file in ("domain.pddl", "problem.pddl")]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")

        def grounded() -> Any:
            planner = import_module("pyperplan.planner")
            return planner._ground(planner._parse(*map(str, files)))

        if part == "search":
            found = by_searchlab(texts, names) if program == "searchlab" else by_pyperplan(grounded, names)
        else:
            ground = grounded if program == "pyperplan" else lambda: instance_of(*texts)
            made = ground()
            with cpu_seconds() as took:
                for _ in range(CALLS):
                    made = ground()
            names_of = made.operators if program == "pyperplan" else made.static["actions"].split("\n")
            found = {**took, "calls": CALLS, "actions": len(names_of)}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
