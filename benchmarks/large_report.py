"""A report of a large experiment: what it takes to make it, and how large the page is.

    python benchmarks/large_report.py                # 100,000 runs
    python benchmarks/large_report.py --runs 10

The runs are made up: every second board is hard, some runs end at a limit, a few with an error. They are written to a
store in a temporary folder, or in `--folder`, where they stay.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from searchlab.experiments.runs import SEARCHES, Run, RunInstance, RunRecord
from searchlab.experiments.store import Store
from searchlab.model.limits import Limits
from searchlab.plugins.registry import installed

HEURISTICS = ("taxicab", "misplaced")
FRONTIERS = ("astar", "greedy")
PROVENANCE = {
    "versions": {"searchlab": "0.1.0", "python": "3.13.1", "numpy": "2.3.0"},
    "machine": {"host": "made-up", "system": "Linux", "processor": "x86_64", "cores": 8},
    "plugins": {"searchlab/sliding_tile": "0.1.0 0123456789abcdef"},
}


def records(number: int, seed: int = 1):
    """Yield the records of made-up runs: two heuristics and two frontiers on each board."""
    chance = random.Random(seed)
    configurations = [(heuristic, frontier) for heuristic in HEURISTICS for frontier in FRONTIERS]
    for place in range(number):
        board, (heuristic, frontier) = place // len(configurations), configurations[place % len(configurations)]
        if place % len(configurations) == 0:
            tiles = [*range(9)]
            chance.shuffle(tiles)
            hardness = chance.lognormvariate(7, 2)
        rows = tuple(tuple(tiles[k : k + 3]) for k in (0, 3, 6))
        instance = RunInstance(f"boards/puzzle{board}", rows, optimal=float(board % 31))
        parts = {"domain": "sliding-tile", "heuristic": heuristic, "frontier": frontier}
        run = Run(instance, parts, Limits(seconds=10.0, expansions=100_000), plugins={})
        yield RunRecord(
            run, outcome(run, rows, hardness, chance), {}, f"made-up {place % 8}", finished(place), PROVENANCE
        )


def outcome(run, rows, hardness, chance):
    """Return how a made-up run ended."""
    factor = (5 if run.parts["heuristic"] == "misplaced" else 1) * (0.1 if run.parts["frontier"] == "greedy" else 1)
    expanded = int(hardness * factor * chance.uniform(0.5, 2))
    status = "error" if chance.random() < 0.001 else "solved" if expanded < 100_000 else "expansion-limit"
    expanded, moves = min(expanded, 100_000), chance.randint(10, 40)
    is_solved = status == "solved"
    cells = {column.name: 0 for column in SEARCHES.of_outcome if column.dtype == "int64"}
    cells |= {"expanded": expanded, "generated": 2 * expanded + chance.randint(0, 99), "evaluated": 2 * expanded}
    cells |= {"stored": expanded, "max_open": expanded // 2, "peak_bytes": 1000 + 97 * expanded, "batch": 1}
    seconds = expanded * 1.5e-6 * chance.uniform(0.8, 1.3)
    return cells | {
        **run.parts,
        "board": " / ".join(" ".join(map(str, row)) for row in rows),
        "engine": "compiled",
        "status": status,
        "reason": "heuristic misplaced: ValueError: no idea (line 7)" if status == "error" else None,
        "moves": moves if is_solved else None,
        "cost": float(moves) if is_solved else None,
        "optimal": int(is_solved and run.parts["frontier"] == "astar"),
        "seconds": seconds,
        "cpu_seconds": seconds,
        "actions": " ".join(chance.choice(("up", "down", "left", "right")) for _ in range(moves))
        if is_solved
        else None,
    }


def finished(place: int) -> str:
    """Return when a made-up run ended."""
    return f"2026-11-{1 + place // 86_400 % 28:02}T{place // 3600 % 24:02}:{place // 60 % 60:02}:{place % 60:02}+00:00"


def make_store(folder: Path, number: int) -> None:
    """Write made-up runs to a store."""
    with Store(folder, writes=True, kind=SEARCHES) as store:
        store.add(records(number))


def main() -> None:
    """Measure it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="where the runs are written, and stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary) / "made-up"
        if not (folder / "results.sqlite").exists():
            make_store(folder, options.runs)
        begin, wall = time.process_time(), time.perf_counter()
        from searchlab.reports.report import load_experiment, report_page

        page = report_page([load_experiment(folder, installed(), "none")])
        cpu, wall = time.process_time() - begin, time.perf_counter() - wall
        print(f"{options.runs:,} runs: {cpu:.1f} s CPU, {wall:.1f} s, {len(page.encode()) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
