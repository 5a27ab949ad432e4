"""`searchlab run --workers 1` on 300 pairs of cells of a map: the CPU seconds, and those of the searches alone.

    python benchmarks/one_map_run.py run|searches walls|maze [RUNS]

The map has walls at random, or is a maze, whose solutions have 12,000 moves.
`run` prints the seconds of all processes, less one that a start may take; `searches` the sum of what the searches took.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import numpy as np
from one_grid import instances

import searchlab as sl
from searchlab_plugins.grid_map.files import map_text, scenario_line
from searchlab_plugins.grid_map.generators import maze_map

SIDE, WALLS, RUNS = 512, 25, 300
SIDE_OF_MAZE = 511
START = 1.0
"""Seconds that two processes may take to start."""


def main() -> None:
    """Run the experiment in a folder of its own."""
    what, kind, *count = sys.argv[1:]
    runs = int(count[0]) if count else RUNS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = instances(SIDE, WALLS, runs) if kind == "walls" else in_maze(runs)
        grid = given[0].static["grid"]
        ends = [(sl.Board(one.start.tiles[:, ::-1]), one.static["goal"][::-1].tolist()) for one in given]
        lines = [scenario_line(start, goal, grid.shape, "a.map", None) for start, goal in ends]
        (folder / "a.map").write_text(map_text(grid), encoding="utf-8")
        (folder / "a.scen").write_text("\n".join(["version 1", *lines, ""]), encoding="utf-8")
        run = [sys.executable, "-m", "searchlab", "run", "a.scen", "--workers", "1", "--output", "found"]
        subprocess.run(run, cwd=folder, check=True, capture_output=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = sl.load_results(folder / "found")
    seconds = used.ru_utime + used.ru_stime - START if what == "run" else float(found.cpu_seconds.sum())
    print(json.dumps({"user": seconds, "system": 0.0, "runs": len(found), "moves": int(found.moves.sum())}))


def in_maze(searches: int) -> list[sl.Instance]:
    """Return starts and goals anywhere in a maze."""
    random = Random(1)
    grid = maze_map(random, SIDE_OF_MAZE, SIDE_OF_MAZE, loops=0.0)
    cells = np.argwhere(grid)
    starts, goals = ([cells[random.randrange(len(cells))].tolist() for _ in range(searches)] for _ in range(2))
    return [
        sl.Instance("", sl.Board([start]), {"grid": grid, "goal": goal})
        for start, goal in zip(starts, goals, strict=True)
    ]


if __name__ == "__main__":
    main()
