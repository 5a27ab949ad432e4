"""The maps of boards/grid-map: draws each with the generators of the plugin, and ten paths on it with their costs.

    python benchmarks/grid_maps.py            writes them
    python benchmarks/grid_maps.py --check    ends with 1 if the files are others

The same seed gives the same map and the same paths. The costs are those of A*; the tests find them in another way.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import searchlab as sl
from searchlab_plugins.grid_map.files import map_text, scenario_line
from searchlab_plugins.grid_map.generators import largest_part, maze_map, noise_map, rooms_map, start_and_goal

FOLDER = Path(__file__).parents[1] / "boards" / "grid-map"
PATHS = 10
SEED = 1
SET = """domain = "grid-map"
source = "drawn by benchmarks/grid_maps.py, seed 1; costs by A*"
"""


def contents() -> dict[str, str]:
    """Return the content of each file by its name."""
    maps = {
        "maze": lambda random: maze_map(random, 63, 63, 0.05),
        "noise": lambda random: noise_map(random, 64, 64, 0.35),
        "rooms": lambda random: rooms_map(random, 63, 63, 7, 0.7),
    }
    files = {"set.toml": SET}
    for name, draw in maps.items():
        random = Random(SEED)
        grid = draw(random)
        cells = largest_part(grid)
        lines = []
        for _ in range(PATHS):
            start, goal = start_and_goal(random, cells)
            board = sl.Board([start])
            cost = sl.solve(sl.Instance("", board, {"grid": grid, "goal": goal}), domain="grid-map").cost
            assert cost is not None
            lines.append((cost, scenario_line(board, goal, grid.shape, f"{name}.map", cost)))
        files[f"{name}.map"] = map_text(grid)
        files[f"{name}.scen"] = "\n".join(["version 1", *(line for _, line in sorted(lines)), ""])
    return files


def main() -> int:
    """Write or compare the files."""
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__)
        return 2
    for name, content in contents().items():
        path = FOLDER / name
        if not sys.argv[1:]:
            path.write_text(content, encoding="utf-8", newline="\n")
        elif not path.is_file() or path.read_text(encoding="utf-8") != content:
            print(f"{path}: another content is drawn")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
