"""Large stores: what the commands that read one take, in CPU seconds and memory, and how large a report is.

    python benchmarks/large_report.py                       # 200,000 runs
    python benchmarks/large_report.py --runs 1000000 --only results,group-by
    python benchmarks/large_report.py --only merge          # 1,000 stores of 1,000 runs
    python benchmarks/large_report.py --only resume --runs 1000000
    python benchmarks/large_report.py --write-only --folder STORE

The runs are made up: six configurations on boards with three seeds each. Every second board is hard, some runs end at a
limit, a few with an error, and a metric is recorded. They are written to a store in a temporary folder, or in
`--folder`, where they stay. Each command runs in a process of its own; "group by in SQL" is SQLite's own on the file.
For `resume` the store holds each run of an experiment, ten boards with many seeds, which `searchlab run` is then given.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from group_by import grouped

from searchlab.experiments.identities import packed
from searchlab.experiments.matrix import matrix
from searchlab.experiments.requests import Request, board_digest
from searchlab.experiments.runs import SEARCHES, Run, RunInstance, RunRecord
from searchlab.experiments.specification import read_experiment
from searchlab.experiments.store import FILE, Store
from searchlab.model.limits import Limits
from searchlab.plugins.registry import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIGURATIONS = [(h, f) for h in ("taxicab", "misplaced", "linear-conflict") for f in ("astar", "greedy")]
SEEDS = (1, 2, 3)
SPREAD = {
    "taxicab": 1.0,
    "misplaced": 5.0,
    "linear-conflict": 0.6,
    "astar": 1.0,
    "greedy": 0.1,
    "greedy:order=random": 0.1,
}
"""How many times as many nodes a part expands as another."""
LARGEST = 100_000
FINGERPRINTS = {"searchlab/sliding_tile": "0.1.0 0123456789abcdef"}
PROVENANCE = {
    "versions": {"searchlab": "0.1.0", "python": "3.13.1", "numpy": "2.3.0"},
    "machine": {"host": "made-up", "system": "Linux", "processor": "x86_64", "cores": 8},
    "plugins": FINGERPRINTS,
    "metrics": {"depth": {"better": "low", "scale": "linear", "aggregate": "mean"}},
}
BATCH = 10_000
"""Records of a transaction."""
COMMANDS = {
    "results": ("results", "{folder}"),
    "pivot": ("results", "{folder}", "--pivot", "heuristic,frontier"),
    "group-by": ("results", "{folder}", "--group-by", "heuristic,frontier"),
    "where": ("results", "{folder}", "--where", "heuristic=taxicab", "--group-by", "frontier"),
    "compare": ("compare", "{folder}", "taxicab/astar", "misplaced/astar", "--where", "seed=1"),
    "export": ("results", "export", "{folder}", "--output", "{output}/table.csv"),
    "report": ("report", "{folder}", "--players", "none", "--output", "{output}/report.html"),
    "merge": ("results", "merge", "{parts}", "--into", "{output}/merged"),
    "resume": ("run", "{done}/resume.toml", "--output", "{done}"),
}
OF_OTHER_STORES = ("merge", "resume")
RESUMED = """\
boards = ["sliding-tile/puzzle8-2[0-9]"]
heuristics = ["taxicab"]
frontiers = ["greedy:order=random"]
seeds = ["1-{seeds}"]
"""
RESUMED_BOARDS = 10


def records(number: int, seed: int = 1) -> Iterator[RunRecord]:
    """Yield the records of made-up runs: each configuration with each seed on each board."""
    chance = random.Random(seed)
    cases = len(CONFIGURATIONS) * len(SEEDS)
    parts = [{"domain": "sliding-tile", "heuristic": h, "frontier": f} for h, f in CONFIGURATIONS]
    limits = Limits(seconds=10.0, expansions=LARGEST)
    instance = RunInstance("", None)
    hardness = 1.0
    for place in range(number):
        case = place % cases
        if not case:
            tiles = chance.sample(range(9), 9)
            hardness = chance.lognormvariate(7 if place // cases % 2 else 10, 1.5)
            rows = tuple(tuple(tiles[k : k + 3]) for k in (0, 3, 6))
            instance = RunInstance(f"boards/puzzle{place // cases}.txt", rows, optimal=float(place // cases % 31))
        part, drawn = parts[case // len(SEEDS)], SEEDS[case % len(SEEDS)]
        run = Run(instance, part, limits, seed=drawn, plugins=FINGERPRINTS)
        cells = outcome(run, hardness, chance)
        metrics = {"depth": chance.randint(1, 40)}
        yield RunRecord(run, cells, metrics, f"made-up {place % 8}", finished(place), PROVENANCE)


def outcome(run: Run, hardness: float, chance: random.Random) -> dict[str, Any]:
    """Return how a made-up run ended."""
    wanted = int(hardness * SPREAD[run.parts["heuristic"]] * SPREAD[run.parts["frontier"]] * chance.uniform(0.5, 2))
    status = "error" if chance.random() < 0.001 else "solved" if wanted < LARGEST else "expansion-limit"
    expanded, moves, is_solved = min(wanted, LARGEST), chance.randint(10, 40), status == "solved"
    assert run.instance.rows is not None
    least = float(run.instance.optimal or 0)
    cost = least + (0 if run.parts["frontier"] == "astar" else chance.randint(0, 9)) if is_solved else None
    is_optimal = is_solved and run.parts["frontier"] == "astar"
    seconds = expanded * 1.5e-6 * chance.uniform(0.8, 1.3)
    cells: dict[str, Any] = {column.name: 0 if column.dtype == "int64" else None for column in SEARCHES.of_outcome}
    cells |= {"expanded": expanded, "generated": 2 * expanded + chance.randint(0, 99), "evaluated": 2 * expanded}
    cells |= {"stored": expanded, "max_open": expanded // 2, "peak_bytes": 1000 + 97 * expanded, "batch": 1}
    return cells | {
        **run.parts,
        "board": " / ".join(" ".join(map(str, row)) for row in run.instance.rows),
        "engine": "compiled",
        "status": status,
        "reason": "heuristic misplaced: ValueError: no idea (line 7)" if status == "error" else None,
        "moves": moves if is_solved else None,
        "cost": cost,
        "optimal": int(is_optimal),
        "lower_bound": least,
        "bound": 1.0 if is_optimal else None,
        "bound_by": "search" if is_optimal else None,
        "ended_by": "solution" if is_solved else "error" if status == "error" else "expansions",
        "solutions": json.dumps([[seconds, expanded, cost]]) if is_solved else None,
        "seconds": seconds,
        "cpu_seconds": seconds,
        "actions": " ".join(chance.choices(("up", "down", "left", "right"), k=moves)) if is_solved else None,
    }


def finished(place: int) -> str:
    """Return when a made-up run ended."""
    return f"2026-11-{1 + place // 86_400 % 28:02}T{place // 3600 % 24:02}:{place // 60 % 60:02}:{place % 60:02}+00:00"


def make_store(folder: Path, made: Iterator[RunRecord]) -> None:
    """Write made-up runs to a store, with the numbers and the request that `searchlab run` writes."""
    with Store(folder, writes=True, kind=SEARCHES) as store:
        identities: list[str] = []
        boards: dict[str, str] = {}
        while batch := list(islice(made, BATCH)):
            store.add(batch)
            identities += (record.run.identity for record in batch)
            boards |= {record.run.instance.name: board_digest(record.cells["board"]) for record in batch}
        heuristics, frontiers = (sorted(set(of_kind)) for of_kind in zip(*CONFIGURATIONS, strict=True))
        names = {"domain": ["sliding-tile"], "heuristic": heuristics, "frontier": frontiers}
        code = {kind: dict.fromkeys(of_kind, FINGERPRINTS) for kind, of_kind in names.items()}
        full = {kind: {name: name for name in of_kind} for kind, of_kind in names.items()}
        store.request(Request("2026-11-01T00:00:00+00:00", code, boards, full), store.number(packed(identities)))


def make_parts(folder: Path, stores: int, runs: int) -> list[str]:
    """Write made-up runs to many stores; return their folders."""
    made = records(stores * runs)
    parts = [folder / f"part{number}" for number in range(stores)]
    for part in parts:
        make_store(part, islice(made, runs))
    return [str(part) for part in parts]


def make_done(folder: Path, number: int) -> None:
    """Write an experiment, and beside it a store with made-up records of all its runs, in an order of chance."""
    folder.mkdir(parents=True)
    experiment = folder / "resume.toml"
    experiment.write_text(RESUMED.format(seeds=max(1, number // RESUMED_BOARDS)))
    runs = matrix(read_experiment(experiment), installed()).runs
    chance = random.Random(1)
    done = chance.sample(runs, len(runs))
    provenance = PROVENANCE | {"plugins": runs[0].plugins}
    with Store(folder, writes=True, kind=SEARCHES) as store:
        store.number(packed(run.identity for run in runs))
        for begin in range(0, len(done), BATCH):
            store.add(
                RunRecord(run, outcome(run, 1e4, chance), {}, f"made-up {place % 8}", finished(place), provenance)
                for place, run in enumerate(done[begin : begin + BATCH], begin)
            )


def measured(command: list[str]) -> tuple[float, float]:
    """Run a command; return its CPU seconds, and the most megabytes it held."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"exit code {process.returncode}: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main() -> None:
    """Measure it."""
    left_out = " and ".join(OF_OTHER_STORES)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--stores", type=int, default=1000, help="stores of --only merge, each of 1,000 runs")
    parser.add_argument("--folder", type=Path, help="where the runs are written, and stay")
    parser.add_argument("--only", help=f"commands, by commas: {', '.join(COMMANDS)} (default: all but {left_out})")
    parser.add_argument("--write-only", action="store_true", help="write the runs to the folder, and do no more")
    options = parser.parse_args()
    if options.write_only and not options.folder:
        parser.error("--write-only needs the --folder to write to")
    names = options.only.split(",") if options.only else [name for name in COMMANDS if name not in OF_OTHER_STORES]
    if unknown := {*names} - {*COMMANDS}:
        parser.error(f"no command {', '.join(unknown)}; there are {', '.join(COMMANDS)}")
    with tempfile.TemporaryDirectory() as temporary:
        output = Path(temporary)
        folder = options.folder or output / "made-up"
        reads_made_up = not {*names} <= {*OF_OTHER_STORES}
        if not (folder / FILE).exists() and reads_made_up:
            make_store(folder, records(options.runs))
        if options.write_only:
            return
        parts = make_parts(output, options.stores, 1000) if "merge" in names else []
        done = (options.folder or output) / "resume"
        if "resume" in names and not (done / FILE).exists():
            with ProcessPoolExecutor(
                1
            ) as other:  # a process that is measured counts the memory of the one it starts in
                other.submit(make_done, done, options.runs).result()
        for name in names:
            places = {"folder": [str(folder)], "parts": parts}
            words = [word.replace("{output}", temporary).replace("{done}", str(done)) for word in COMMANDS[name]]
            arguments = [each for word in words for each in places.get(word.strip("{}"), [word])]
            cpu, memory = measured([sys.executable, "-m", "searchlab", *arguments])
            written = [f"{file.name} {file.stat().st_size / 1e6:.2f} MB" for file in output.iterdir() if file.is_file()]
            print(f"{name}: {cpu:.2f} s CPU, {memory:,.0f} MB", *written, sep=", ", flush=True)
            for file in filter(Path.is_file, output.iterdir()):
                file.unlink()
        if reads_made_up:
            print(f"group by in SQL: {grouped(str(folder / FILE))[1]:.2f} s CPU")


if __name__ == "__main__":
    main()
