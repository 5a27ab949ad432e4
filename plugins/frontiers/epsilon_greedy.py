"""Greedy search that now and then expands any open node (Valenzano, Sturtevant, Schaeffer and Xie).

"A Comparison of Knowledge-Based GBFS Enhancements and Knowledge-Free Exploration", ICAPS 2014. Each open node has a
chance to be expanded, however wrong h is.

>>> import searchlab as sl
>>> results = [sl.solve("sliding-tile/puzzle8-27", frontier="epsilon-greedy:epsilon=0.1", seed=seed) for seed in (0, 1)]
>>> [(result.status, result.moves) for result in results]
[('solved', 35), ('solved', 89)]
"""

from __future__ import annotations

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import estimate


def share_of_others(epsilon: float) -> float:
    """Return the share of nodes that are taken by h."""
    return 1 - epsilon


def share_of_any(epsilon: float) -> float:
    """Return the share of nodes that are taken at random."""
    return epsilon


def check_epsilon(epsilon: float) -> str:
    """Return an error message for an invalid probability, or `""`."""
    return "" if 0 <= epsilon <= 1 else "a probability is from 0, for greedy search, to 1"


EPSILON_GREEDY = Frontier(
    "epsilon-greedy",
    queues=(Queue(estimate, share=share_of_others), Queue(types=(), share=share_of_any)),
    choose="random",
    parameters=(
        Parameter(
            "epsilon", 0.2, "how likely the next node is any open one", check=check_epsilon, low=0.001, high=1, log=True
        ),
    ),
    summary="the smallest h, or now and then any open node (Valenzano et al. 2014)",
)
