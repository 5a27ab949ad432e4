"""The pancake puzzle: the domain, its heuristics and its generator of boards."""

from searchlab import plugin
from searchlab_plugins.pancake.domain import DOMAIN, GENERATOR
from searchlab_plugins.pancake.heuristics import HEURISTICS

hooks = plugin(DOMAIN, *HEURISTICS, GENERATOR)
