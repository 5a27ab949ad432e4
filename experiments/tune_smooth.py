"""Tune the coefficients of `smooth`: `python experiments/tune_smooth.py`; rerun it to resume.

Each game has coefficients of its own, drawn near the best known ones. A linear regression over all games of a round
estimates how each coefficient changes the logarithm of the score: every game says something about every coefficient.
The next round begins where the regression points to, and draws from a smaller neighbourhood. Each round is an
experiment of its own in `results/tune-smooth`.
"""

from __future__ import annotations

import argparse
import math
import random
from typing import TYPE_CHECKING

import numpy as np

import searchlab as sl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

COEFFICIENTS = ("blanks", "merges", "monotonicity", "steepness", "total", "growth")
POWERS = {"monotonicity": "steepness", "total": "growth"}
"""Coefficients of powers of a tile's exponent, and the power."""
TYPICAL = 12
"""A coefficient of a power is drawn so that a tile of this exponent counts the same whatever the power is."""
WIDTH = 0.35
"""Of the first neighbourhood: the standard deviation of a coefficient's logarithm."""
POWER_WIDTH = 0.25
"""The standard deviation of a power."""
FURTHEST = 1.0
"""How far a coefficient moves between two rounds at most, in standard deviations of the neighbourhood."""


def main() -> None:
    """Tune as the command line says; print the effects of each round, and where the next begins."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=300, help="of a round, each with other coefficients")
    parser.add_argument("--player", default="expectimax:depth=2")
    asked = parser.parse_args()
    own = {parameter.name: parameter.default for parameter in sl.heuristic("smooth").component.own_parameters()}
    centre = to_point({name: float(own[name]) for name in COEFFICIENTS})
    for number in range(asked.rounds):
        widths = np.array([POWER_WIDTH if name in POWERS.values() else WIDTH for name in COEFFICIENTS]) / (1 + number)
        draws = random.Random(number)
        steps = np.array([[draws.gauss(0, 1) for _ in COEFFICIENTS] for _ in range(asked.games)])
        players = [spelled(asked.player, centre + widths * step) for step in steps]
        scores = played(players, 1 + number, f"round-{number}")
        effects, errors = regression(steps, np.log(scores))
        print(f"round {number}: {scores.mean():,.0f} points a game")
        for name, effect, error in zip(COEFFICIENTS, effects, errors, strict=True):
            print(f"  {name:13}{100 * effect:+6.1f} % ± {196 * error:.1f} % a standard deviation upwards")
        centre += widths * np.clip(effects / (2 * errors), -FURTHEST, FURTHEST)
        print(f"  next: {spelled(asked.player, centre)}", flush=True)


def to_point(coefficients: dict[str, float]) -> NDArray[np.float64]:
    """Return coefficients as the coordinates that are drawn: logarithms, and the powers as they are."""
    point = []
    for name in COEFFICIENTS:
        value = coefficients[name]
        if name in POWERS:
            value *= TYPICAL ** coefficients[POWERS[name]]
        point.append(value if name in POWERS.values() else math.log(value))
    return np.array(point)


def spelled(player: str, point: NDArray[np.float64]) -> str:
    """Return a player that judges boards by the coefficients of a point, rounded to four digits."""
    powers = {name: value for name, value in zip(COEFFICIENTS, point.tolist(), strict=True) if name in POWERS.values()}
    coefficients = {}
    for name, value in zip(COEFFICIENTS, point.tolist(), strict=True):
        if name not in powers:
            value = math.exp(value) / (TYPICAL ** powers[POWERS[name]] if name in POWERS else 1)
        coefficients[name] = float(f"{value:.4g}")
    spelling = ",".join(f"{name}={value!r}" for name, value in coefficients.items())
    return str(sl.player(f"{player},heuristic=[smooth:{spelling}]"))


def played(players: Sequence[str], seed: int, name: str) -> NDArray[np.float64]:
    """Return the score of each player in one game of this seed."""
    experiment = sl.Experiment(players=tuple(players), seeds=(seed,), name=name)
    games = sl.run(experiment, folder=f"results/tune-smooth/{name}").set_index("player")["score"]
    return np.array([float(games[player]) for player in players])


def regression(steps: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return by how much the values change with each column of `steps`, and the standard errors.

    Args:
        steps: shape (games, coefficients).
        values: shape (games,).
    """
    columns = np.column_stack([np.ones(len(steps)), steps])
    effects = np.linalg.lstsq(columns, values)[0]
    left = values - columns @ effects
    variance = left @ left / (len(values) - columns.shape[1])
    errors = np.sqrt(variance * np.diag(np.linalg.inv(columns.T @ columns)))
    return effects[1:], errors[1:]


if __name__ == "__main__":
    main()
