"""Pancakes as an expert writes them: flips and gaps on the packed word, four bits for each of at most fifteen."""

import numpy as np

from searchlab import Board, Defaults, Domain, Heuristic, PackedForm, Parameter, Words, hookimpl

BITS = 4
MOST = 15


def start(n, seed):
    return Board([np.random.default_rng(seed).permutation(n) + 1])


def why_invalid(board):
    rows, n = board.shape
    is_stack = rows == 1 < n <= MOST and sorted(board.tiles[0]) == list(range(1, n + 1))
    return "" if is_stack else "a stack is one row with each of 1 … n, 2 <= n <= 15"


def successors(board):
    stack = board.tiles[0]
    for k in range(2, len(stack) + 1):
        yield f"flip-{k}", Board([np.append(stack[:k][::-1], stack[k:])])


def is_goal(board):
    return bool((np.diff(board.tiles[0]) == 1).all())


def packed(board):
    n = board.shape[1]
    goal = sum((i + 1) << (BITS * i) for i in range(n))
    return PackedForm(
        values=MOST + 1,
        max_successors=n - 1,
        successors=flips,
        is_goal=in_order,
        words=Words(packed_flips, is_packed_goal),
        tables={"size": n, "goal_word": goal},
    )


def flips(tiles, out):
    n = tiles.shape[1]
    for k in range(2, n + 1):
        for i in range(n):
            out[k - 2, 0, i] = tiles[0, k - 1 - i] if i < k else tiles[0, i]
    return n - 1


def in_order(tiles):
    wrong = 0
    for i in range(tiles.shape[1]):
        wrong += tiles[0, i] != i + 1
    return wrong == 0


def packed_flips(words, out, size):
    """Turn over the lowest k nibbles, one more each time: the reversed ones grow from below."""
    word = words[0]
    turned = word & np.uint64(15)
    for k in range(2, size + 1):
        turned = turned << np.uint64(BITS) | word >> np.uint64(BITS * (k - 1)) & np.uint64(15)
        rest = np.uint64(BITS * k)
        out[k - 2, 0] = word >> rest << rest | turned
    return size - 1


def is_packed_goal(words, goal_word):
    return words[0] == np.uint64(goal_word)


def gap(tiles):
    """Count the places where pancakes lie together that do not belong together (Helmert 2010)."""
    n = tiles.shape[1]
    gaps = int(tiles[0, n - 1] != n)
    for i in range(n - 1):
        gaps += abs(tiles[0, i] - tiles[0, i + 1]) > 1
    return gaps


def packed_gap(words, columns):
    word = words[0]
    gaps = int(word >> np.uint64(BITS * (columns - 1)) != np.uint64(columns))
    above = np.int64(word & np.uint64(15))
    for _ in range(columns - 1):
        word >>= np.uint64(BITS)
        below = np.int64(word & np.uint64(15))
        gaps += abs(above - below) > 1
        above = below
    return gaps


@hookimpl
def searchlab_domains():
    yield Domain(
        "pancake-by-hand",
        successors,
        is_goal,
        start=start,
        parameters=(Parameter("n", 12), Parameter("seed", 0)),
        why_invalid=why_invalid,
        packed=packed,
        samples=lambda: [({"n": 7}, Board([[7, 2, 5, 1, 6, 3, 4]]))],
        defaults=Defaults(heuristic="packed-gap"),
    )


@hookimpl
def searchlab_heuristics():
    yield Heuristic("packed-gap", gap, packed=packed_gap, domains={"pancake-by-hand"}, admissible=True, consistent=True)
