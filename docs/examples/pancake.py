# pancake.py
"""Pancakes: sort a stack, its top on the left, by flipping the uppermost k."""

import numpy as np

from searchlab import Board, Defaults, Domain, Heuristic, PackedForm, Parameter, plugin


def flips(tiles, out):
    """Write the stack after each flip to out[0], out[1], …, and return how many there are."""
    n = tiles.shape[1]
    for k in range(2, n + 1):
        for i in range(n):
            out[k - 2, 0, i] = tiles[0, k - 1 - i] if i < k else tiles[0, i]
    return n - 1


def why_invalid(board):
    rows, n = board.shape
    is_stack = rows == 1 < n and sorted(board.tiles[0]) == list(range(1, n + 1))
    return "" if is_stack else "a stack is one row with each of 1 … n, n >= 2"


def gap(tiles):
    """Count the places where pancakes lie together that do not belong together (Helmert 2010)."""
    n = tiles.shape[1]
    gaps = int(tiles[0, n - 1] != n)
    for i in range(n - 1):
        gaps += abs(tiles[0, i] - tiles[0, i + 1]) > 1
    return gaps


DOMAIN = Domain(
    "my-pancake",
    packed=lambda board: PackedForm(values=board.shape[1] + 1, max_successors=board.shape[1] - 1, successors=flips),
    goals=lambda board: [Board([range(1, board.shape[1] + 1)])],
    inverse="same",
    action=lambda board, after, k: f"flip-{k + 2}",
    why_invalid=why_invalid,
    start=lambda n, seed: Board([np.random.default_rng(seed).permutation(n) + 1]),
    parameters=(Parameter("n", 12, "pancakes of the start board"), Parameter("seed", 0, "which start board")),
    samples=lambda: [Board([[7, 2, 5, 1, 6, 3, 4]])],  # 5,040 stacks: `plugins check` looks at all
    summary="sort a stack by flipping its top",
    defaults=Defaults(heuristic="gap"),
)

HEURISTIC = Heuristic("gap", gap, domains={"my-pancake"}, admissible=True, consistent=True, summary="gaps in the stack")

hooks = plugin(DOMAIN, HEURISTIC)
