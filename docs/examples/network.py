# network.py
"""A network for the 8-puzzle, from a file that train_network.py wrote."""

import numpy as np

from searchlab import Heuristic, Parameter, UsageError, plugin


def load(file):
    """Return the layers of a network."""
    with np.load(file) as layers:
        return list(layers.values())


def estimates(boards, net):
    """Return what the network says of k boards, an array (k,)."""
    if boards.shape[1:] != (3, 3):
        raise UsageError("the network is for boards of 3 × 3")
    tiles = boards.reshape(len(boards), 9).astype(np.intp)
    cells = np.argsort(tiles, axis=1)[:, 1:]  # where the tiles 1 … 8 are
    inputs = np.eye(9, dtype=np.float32)[cells].reshape(len(boards), 72)
    weights, biases, out, out_bias = net
    return np.maximum(np.maximum(inputs @ weights + biases, 0) @ out + out_bias, 0)


hooks = plugin(
    Heuristic(
        "network",
        batch=estimates,
        models={"net": load},
        parameters=(Parameter("file", "puzzle8.npz", "weights that train_network.py wrote", kind="file"),),
        domains={"sliding-tile"},
        summary="a network trained on exact distances",
    )
)
