"""One experiment of searchlab: how long all its runs took together, everything included, is printed as JSON."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time

import searchlab as sl


def main() -> None:
    """Run what the command line says, and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", required=True)
    parser.add_argument("--domain", required=True)
    parser.add_argument("--heuristic", required=True)
    parser.add_argument("--frontier", required=True)
    parser.add_argument("--repetitions", type=int, required=True)
    parser.add_argument("--workers", type=int, required=True)
    asked = parser.parse_args()
    experiment = sl.Experiment(
        boards=[asked.board],
        domains=[asked.domain],
        heuristics=[asked.heuristic],
        frontiers=[asked.frontier],
        repetitions=asked.repetitions,
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        table = sl.run(experiment, folder=folder, workers=asked.workers)
        wall = time.perf_counter() - began
    if set(table.status) != {"solved"}:
        sys.exit(f"not all were solved: {table.status.value_counts().to_dict()}")
    print(json.dumps({"wall": wall, "runs": len(table), "moves": int(table.moves.iloc[0])}))


if __name__ == "__main__":
    main()
