# train_network.py
"""Train a network on the exact distances of all 181,440 boards of the 8-puzzle; it is written to puzzle8.npz."""

from itertools import permutations

import numpy as np

import searchlab as sl

random = np.random.default_rng(1)
exact = sl.distances("sliding-tile", board=sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])).dense()
cells = np.array(list(permutations(range(9), 8)))  # where the tiles 1 … 8 are
costs = exact[tuple(cells.T)]
cells, costs = cells[costs < 255], costs[costs < 255].astype(np.float32)  # half of all boards have no solution


def inputs(cells):
    """One input per tile and cell: 1 where the tile is there."""
    return np.eye(9, dtype=np.float32)[cells].reshape(len(cells), 72)


layers = [random.normal(0, 0.15, (72, 32)), np.zeros(32), random.normal(0, 0.15, 32), np.full(1, 22)]
layers = [layer.astype(np.float32) for layer in layers]
means, squares = ([np.zeros_like(layer) for layer in layers] for _ in range(2))
step = 0
for epoch in range(3):
    order = random.permutation(len(cells))
    for first in range(0, len(order), 1024):
        chosen = order[first : first + 1024]
        x = inputs(cells[chosen])
        hidden = np.maximum(x @ layers[0] + layers[1], 0)
        error = (hidden @ layers[2] + layers[3] - costs[chosen]) / len(chosen)
        back = np.outer(error, layers[2]) * (hidden > 0)
        gradients = [x.T @ back, back.sum(0), hidden.T @ error, error.sum(keepdims=True)]
        step += 1
        # Adam (Kingma and Ba 2015)
        for layer, gradient, mean, square in zip(layers, gradients, means, squares, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            rate = 0.01 * (1 - epoch / 3)
            layer -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)

estimates = np.maximum(inputs(cells) @ layers[0] + layers[1], 0) @ layers[2] + layers[3]
above = (estimates > costs).mean()
print(f"mean error {abs(estimates - costs).mean():.2f} moves, above the cost on {above:.0%} of the boards")
np.savez("puzzle8.npz", *layers)
