"""Heuristics that combine other heuristics of any domain: the maximum, the sum and the weighted sum."""

from searchlab import plugin
from searchlab_plugins.combinations.heuristics import HEURISTICS

hooks = plugin(*HEURISTICS)
