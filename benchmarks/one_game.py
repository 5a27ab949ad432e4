"""Play games of 2048 with random tiles in this process; what they took and came to is printed as JSON.

    python benchmarks/one_game.py greedy --games 200
    python benchmarks/one_game.py ntuple --network NETWORK.npz --games 200

`--seeds FILE` writes where the random numbers of the games begin, for `yardstick/play2048.cpp`, and with `--network` it
also learns a network that both sides read: `NETWORK.npz`, and the same weights in `NETWORK.f32`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from cpu_time import cpu_seconds

import searchlab as sl
from searchlab.model.randomness import Randomness, words_of

LEARNED_MOVES = 1_000_000


def main() -> None:
    """Play, or prepare to, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("player")
    parser.add_argument("--games", type=int, required=True, help="with the seeds 1 to N")
    parser.add_argument("--network", type=Path, help="the player's file")
    parser.add_argument("--seeds", type=Path, help="write these and the network in place of playing")
    asked = parser.parse_args()
    if asked.seeds:
        prepare(asked.seeds, asked.games, asked.network)
        print(json.dumps({"games": asked.games}))
    else:
        player = f"{asked.player}:file={asked.network}" if asked.network else asked.player
        print(json.dumps(played(player, asked.games)))


def played(player: str, games: int) -> dict[str, float]:
    """Return what games took, after one that is not counted, and what they came to."""
    bound = sl.player(player, domain="2048-random")
    sl.play(player=bound, seed=0)
    moves = score = 0
    with cpu_seconds() as took:
        for seed in range(1, games + 1):
            game = sl.play(player=bound, seed=seed)
            moves += game.moves
            score += int(game.score)
    return {**took, "games": games, "played": moves, "score": score}


def prepare(seeds: Path, games: int, network: Path | None) -> None:
    """Write the beginnings of the games' random numbers, and learn a network where there is none yet."""
    lines = (" ".join(map(str, words_of(Randomness(seed)).tolist())) + "\n" for seed in range(1, games + 1))
    seeds.write_text("".join(lines), encoding="utf-8")
    if network is None or network.exists():
        return
    learning, made = sl.learner("ntuple")(1), 0
    while made < LEARNED_MOVES:
        made += learning.learn(LEARNED_MOVES - made, LEARNED_MOVES)[0]
    learning.save(network, {})
    np.ascontiguousarray(learning.network.weights).tofile(network.with_suffix(".f32"))


if __name__ == "__main__":
    main()
