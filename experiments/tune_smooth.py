"""Tune the coefficients of `smooth`: `python experiments/tune_smooth.py`; rerun it to resume.

A search at random by rounds. In each, the best coefficients so far and a few others near them play the same games; the
better half plays more of them, and who then has the best mean score is what the next round begins with. Each round
is an experiment of its own in `results/tune-smooth`, and looks in a smaller neighbourhood than the one before.
"""

from __future__ import annotations

import argparse
import math
import random
from typing import TYPE_CHECKING

import searchlab as sl

if TYPE_CHECKING:
    import pandas as pd

FIRST = {"blanks": 270.0, "merges": 700.0, "monotonicity": 47.0, "steepness": 4.0, "total": 11.0, "growth": 3.5}
"""Coefficients in the proportions of a program of 2014, which tuned its own for longer searches."""
EXPONENTS = ("steepness", "growth")
WIDTH = 0.4
"""Of the first neighbourhood: the standard deviation of a coefficient's logarithm; of an exponent's a third of it."""


def main() -> None:
    """Tune as the command line says, and print the best coefficients of each round."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--others", type=int, default=11, help="coefficients tried in a round beside the best so far")
    parser.add_argument(
        "--games", type=int, default=24, help="that each plays; the better half plays four times as many"
    )
    parser.add_argument("--player", default="expectimax:depth=2")
    asked = parser.parse_args()
    best = FIRST
    for number in range(asked.rounds):
        draws = random.Random(number)
        candidates = {}
        for coefficients in (best, *(near(best, WIDTH / (1 + number), draws) for _ in range(asked.others))):
            candidates[spelled(asked.player, coefficients)] = coefficients
        first = 1 + 10_000 * number
        scores = played(list(candidates), range(first, first + asked.games), f"round-{number}")
        better = list(scores.sort_values(ascending=False).index[: (len(candidates) + 1) // 2])
        more = range(first, first + 4 * asked.games)
        scores = played(better, more, f"round-{number}-better")
        best = candidates[str(scores.idxmax())]
        print(f"round {number}: {scores.max():,.0f} points a game, {spelled(asked.player, best)}", flush=True)


def near(coefficients: dict[str, float], width: float, draws: random.Random) -> dict[str, float]:
    """Return other coefficients, each multiplied by a number that is 1 in the middle."""
    widths = {name: width / 3 if name in EXPONENTS else width for name in coefficients}
    return {
        name: float(f"{value * math.exp(draws.gauss(0, widths[name])):.3g}") for name, value in coefficients.items()
    }


def spelled(player: str, coefficients: dict[str, float]) -> str:
    """Return a player that judges boards by these coefficients."""
    spelling = ",".join(f"{name}={value:g}" for name, value in coefficients.items())
    return str(sl.player(f"{player},heuristic=[smooth:{spelling}]"))


def played(players: list[str], seeds: range, name: str) -> pd.Series[float]:
    """Return the mean score of each player in the games of these seeds."""
    experiment = sl.Experiment(players=tuple(players), seeds=tuple(seeds), name=name)
    games = sl.run(experiment, folder=f"results/tune-smooth/{name}")
    return games.groupby("player", observed=True)["score"].mean()


if __name__ == "__main__":
    main()
