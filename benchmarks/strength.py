"""How strong players of 2048 are: games of the seeds 1 to N by each, as the rows of the table in `docs/strength.md`.

    python benchmarks/strength.py expectimax ntuple:file=network.npz,downgrade=16384

A player's parameter `file` is the network whose bytes in memory are told.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import searchlab as sl

LARGE = 32768
HEADER = "| player | mean score | 95 % | 32768 | moves a CPU second | ms a move | network |\n" + "| --- " * 7 + "|"


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="+", metavar="PLAYER")
    parser.add_argument("--games", type=int, default=100, metavar="N")
    parser.add_argument("--workers", type=int, default=1, metavar="N")
    asked = parser.parse_args()
    print(HEADER)
    for player in asked.players:
        print(row(player, played(player, asked.games, asked.workers)), flush=True)


def played(player: str, games: int, workers: int) -> list[dict[str, Any]]:
    """Return the outcomes of a player's games."""
    searchlab = [sys.executable, "-m", "searchlab"]
    with tempfile.TemporaryDirectory() as folder:
        results = str(Path(folder) / "games")
        what = ["run", "--player", player, "--seeds", f"1-{games}", "--output", results, "--workers", str(workers)]
        subprocess.run([*searchlab, *what], check=True, stdout=subprocess.DEVNULL)
        found = subprocess.run([*searchlab, "results", results, "--json"], check=True, capture_output=True)
        outcomes: list[dict[str, Any]] = json.loads(found.stdout)
        return outcomes


def row(player: str, games: list[dict[str, Any]]) -> str:
    """Return a row of the table."""
    scores = [game["score"] for game in games]
    half = 1.96 * stdev(scores) / sqrt(len(scores))
    rate = sum(game["moves"] for game in games) / sum(game["cpu_seconds"] for game in games)
    large = mean(game["largest_tile"] >= LARGE for game in games)
    file = next((part[5:] for part in player.partition(":")[2].split(",") if part.startswith("file=")), "")
    size = f"{sl.read_network(file).weights.nbytes / 1e6:.0f} MB" if file else "none"
    numbers = (
        f"{mean(scores):,.0f}",
        f"± {half:,.0f}",
        f"{100 * large:.0f} %",
        f"{rate:,.0f}",
        f"{1000 / rate:.3g}",
        size,
    )
    return f"| `{player}` | {' | '.join(numbers)} |"


if __name__ == "__main__":
    main()
