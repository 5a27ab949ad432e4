"""A program that keeps a game: the environment of `environments.py` that its first argument names."""

import sys

import environments

MOVES = ("up", "right", "down", "left")
game = getattr(environments, sys.argv[1])()


def written(board):
    return " / ".join(" ".join(map(str, row)) for row in board)


def answer(word, *fields):
    if word == "hello":
        return "hello\t1"
    if word == "new":
        seed, name, _ = fields
        game.n = int(name.rpartition("=")[2]) if "=" in name else 4
        return f"board\t{written(game.reset(int(seed)))}"
    if word == "move":
        try:
            board, points, is_over, _ = game.step(MOVES.index(fields[0]))
        except ValueError as error:
            return f"error\t{error}"
        return f"{'over' if is_over else 'board'}\t{written(board)}\t{points}"
    if word == "set" and hasattr(game, "set"):
        game.set([[int(tile) for tile in row.split()] for row in fields[0].split("/")])
        return "ready"
    return f"error\tno word {word}"


for line in sys.stdin:
    if line == "quit\n":
        break
    print("thinking", file=sys.stderr)
    print(answer(*line.rstrip("\n").split("\t")), flush=True)
