"""Learn 2048 in this process; what it took and how many moves were learned from are printed as JSON."""

from __future__ import annotations

import argparse
import json

from cpu_time import cpu_seconds

import searchlab as sl

COMPILED_BY = 1 << 16
"""Moves after which all is compiled and loaded."""


def main() -> None:
    """Learn from as many moves as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("moves", type=int)
    asked = parser.parse_args()
    warm = min(COMPILED_BY, asked.moves)
    sl.learner("ntuple")(2).learn(warm, warm)
    learning, made, scores = sl.learner("ntuple")(1), 0, []
    with cpu_seconds() as took:
        while made < asked.moves:
            moves, games = learning.learn(asked.moves - made, asked.moves)
            made += moves
            scores += [game.score for game in games]
    print(json.dumps({**took, "learned": made, "games": len(scores), "mean_score": sum(scores) / len(scores)}))


if __name__ == "__main__":
    main()
