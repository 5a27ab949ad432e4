"""The planning tasks of boards/strips: writes the domains and problems of the plugin, and the cost of a cheapest plan.

    python benchmarks/strips_tasks.py            writes them
    python benchmarks/strips_tasks.py --check    ends with 1 if the files are others

The costs are those of A* with hmax; the tests find them in another way.
"""

from __future__ import annotations

import sys
from pathlib import Path

import searchlab as sl
from searchlab_plugins.strips.tasks import DOMAINS, blocks_problem, delivery_problem, gripper_problem

FOLDER = Path(__file__).parents[1] / "boards" / "strips"
ROADS = [(1, 2, 4), (2, 3, 2), (3, 4, 6), (4, 5, 1), (5, 6, 3), (6, 1, 5), (2, 5, 7)]
PROBLEMS = {
    **{f"gripper-{balls}": gripper_problem(balls) for balls in (2, 4, 6, 8)},
    "blocks-4": blocks_problem([[1, 2], [3, 4]], [[4, 2, 3, 1]]),
    "blocks-5": blocks_problem([[1, 2, 3, 4, 5]], [[3, 1], [5, 4, 2]]),
    "blocks-6": blocks_problem([[1, 2, 3], [4, 5, 6]], [[6, 1, 4], [3, 5, 2]]),
    "delivery-2": delivery_problem(ROADS[:4], [1], [(2, 5), (4, 1)]),
    "delivery-3": delivery_problem(ROADS, [1, 4], [(2, 5), (4, 1), (3, 6)]),
    "delivery-4": delivery_problem(ROADS, [1, 4], [(2, 5), (4, 1), (3, 6), (6, 2)]),
}


def contents() -> dict[str, str]:
    """Return the content of each file by its name."""
    files = {f"{name}-domain.pddl": text for name, text in DOMAINS.items()}
    costs = []
    for name, problem in PROBLEMS.items():
        files[f"{name}.pddl"] = problem
        (instance,) = sl.domain("strips").parse(DOMAINS[name.rpartition("-")[0]] + problem)
        costs.append(f"{name} = {sl.solve(instance, domain='strips').cost:g}")
    source = "written by benchmarks/strips_tasks.py; costs by A*"
    files["set.toml"] = "\n".join(['domain = "strips"', f'source = "{source}"', "", "[optimal]", *costs, ""])
    return files


def main() -> int:
    """Write or compare the files."""
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__)
        return 2
    for name, content in contents().items():
        path = FOLDER / name
        if not sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="\n")
        elif not path.is_file() or path.read_text(encoding="utf-8") != content:
            print(f"{path}: another content is written")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
