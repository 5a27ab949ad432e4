"""`searchlab run --workers 1` on 300 pairs of cells of a map: the CPU seconds, and those of the searches alone.

    python benchmarks/one_map_run.py run|searches [RUNS]

`run` prints the seconds of all processes, less one that a start may take; `searches` the sum of what the searches took.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from one_grid import instances

import searchlab as sl
from searchlab_plugins.grid_map.files import map_text, scenario_line

SIDE, WALLS, RUNS = 512, 25, 300
START = 1.0
"""Seconds that two processes may take to start."""


def main() -> None:
    """Run the experiment in a folder of its own."""
    what, *count = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = instances(SIDE, WALLS, int(count[0]) if count else RUNS)
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


if __name__ == "__main__":
    main()
