"""What the lines between a game and a program cost, beside a bare echo of the same lines in the same run.

A program in C plays a tournament, which has to have the same games as one of a Python function that makes the same
moves. Then, on every board of these games in turn, the program is asked for a move as in a game, the function as well,
and a program in C echoes the line. That is repeated, and the shortest time of each counts, as others may use the
machine. What asking the program takes longer than asking the function is what the lines cost. It prints microseconds a
move, and fails if the lines cost more than twice the echo.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import searchlab as sl
from searchlab.games.programs import BOARD, format_board, format_line

MOST = 2.0
"""The largest ratio of the cost of the lines to that of the echo."""
BOT = r"""
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) && strncmp(line, "quit", 4)) {
        if (!strncmp(line, "hello", 5)) puts("hello 1 last");
        else if (!strncmp(line, "new", 3)) puts("ready");
        else printf("move\t%s", strrchr(line, '\t') + 1);
    }
}
"""
ECHO = r"""
#include <stdio.h>
int main(void) {
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) fputs(line, stdout);
}
"""
FUNCTION = "def last(board, moves):\n    return moves[-1].action\n"
Position = tuple[sl.Board, tuple[sl.Move, ...]]


def compiled(folder: Path, name: str, source: str) -> Path:
    """Compile a C program into a folder."""
    (folder / f"{name}.c").write_text(source)
    subprocess.run(["cc", "-O2", "-o", folder / name, folder / f"{name}.c"], check=True)
    return folder / name


def play_tournament(folder: Path, players: list[str], games: int) -> list[float]:
    """Play a tournament in worker processes; return the microseconds a move of each player.

    Raises:
        SystemExit: a game failed, or the players made other moves.
    """
    table = sl.run(sl.Experiment(players=players, seeds=range(games)), folder=folder / "results")
    if set(table["status"]) != {"dead"}:
        raise SystemExit(f"games failed: {table['reason'].dropna().iloc[0]}")
    if (table.groupby("seed")["actions"].nunique() > 1).any():
        raise SystemExit("the players made other moves")
    sums = table.groupby("player")[["seconds", "moves"]].sum()
    return [1e6 * float(sums["seconds"][player] / sums["moves"][player]) for player in players]


def positions_of(games: int) -> list[Position]:
    """Return the positions of these games."""
    found: list[Position] = []

    def last(board: sl.Board, moves: tuple[sl.Move, ...]) -> str:
        found.append((board, moves))
        return moves[-1].action

    for seed in range(games):
        sl.play(domain="2048-random", player=last, seed=seed)
    return found


def shortest_times(bot: Path, echo: Path, positions: list[Position], repeat: int) -> list[float]:
    """Return the mean over positions of the shortest microseconds of the program, the function and the echo."""
    program = sl.player("program", domain="2048-random", command=str(bot)).begin(1)
    function = sl.player(lambda board, moves: moves[-1].action, domain="2048-random").begin(1)
    actions = [[move.action for move in moves] for _, moves in positions]
    fields = [(format_board(board), *named) for (board, _), named in zip(positions, actions, strict=True)]
    lines = [f"{format_line(BOARD, *each)}\n".encode() for each in fields]
    times = np.full((len(positions), 3), np.inf)
    clock = time.perf_counter
    with subprocess.Popen([echo], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        given, got = process.stdin.fileno(), process.stdout.fileno()
        for _ in range(repeat):
            for row, ((board, moves), line) in enumerate(zip(positions, lines, strict=True)):
                first = clock()
                program(board, moves)
                second = clock()
                function(board, moves)
                third = clock()
                os.write(given, line)
                os.read(got, 65_536)
                fourth = clock()
                times[row] = np.minimum(times[row], (second - first, third - second, fourth - third))
        process.stdin.close()
    return [1e6 * float(mean) for mean in times.mean(axis=0)]


def main() -> int:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=20, help="games of each player")
    parser.add_argument("--repeat", type=int, default=20, help="how often each board is asked about")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bot, echo = compiled(folder, "bot", BOT), compiled(folder, "echo", ECHO)
        (folder / "mine.py").write_text(FUNCTION)
        in_games = play_tournament(folder, [f"program:command={bot}", f"{folder / 'mine.py'}:last"], given.games)
        positions = positions_of(given.games)
        program, function, of_echo = shortest_times(bot, echo, positions, given.repeat)
    cost = program - function
    print(f"a tournament of {given.games} games, in microseconds a move:")
    print(f"the program {in_games[0]:.1f}, the function {in_games[1]:.1f}")
    print(f"{len(positions):,} boards, the shortest of {given.repeat} times:")
    print(f"the program {program:.1f}, the function {function:.1f}, so the lines {cost:.1f}; the echo {of_echo:.1f}")
    print(f"lines / echo {cost / of_echo:.2f} (at most {MOST:g})")
    return 0 if cost <= MOST * of_echo else 1


if __name__ == "__main__":
    sys.exit(main())
