"""SQLite's own GROUP BY on the runs of a store, `python benchmarks/group_by.py FILE`: what it took, as JSON.

The groups are those of `searchlab results STORE --group-by heuristic,frontier`.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time

GROUPED = """SELECT heuristic, frontier, COUNT(*), SUM(status = 'solved'), EXP(AVG(LN(MAX(expanded, 1)))),
    EXP(AVG(LN(MAX(seconds, 1e-6)))), SUM(cost) FROM runs GROUP BY heuristic, frontier"""


def grouped(file: str) -> tuple[int, float]:
    """Return the number of runs in all groups, and the CPU seconds that it took."""
    began = time.process_time()
    with sqlite3.connect(file) as connection:
        runs = sum(row[2] for row in connection.execute(GROUPED))
    return runs, time.process_time() - began


if __name__ == "__main__":
    found, seconds = grouped(sys.argv[1])
    print(json.dumps({"user": seconds, "system": 0.0, "runs": found}))
