"""Heuristics that combine other heuristics of any domain: their maximum, and their sum."""

from searchlab import plugin
from searchlab_plugins.combinations.heuristics import HEURISTICS

hooks = plugin(*HEURISTICS)
