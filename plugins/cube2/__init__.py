"""The 2 × 2 × 2 cube: the domain, its heuristics and its generator of boards."""

from searchlab import plugin
from searchlab_plugins.cube2.domain import DOMAIN, GENERATOR
from searchlab_plugins.cube2.heuristics import HEURISTICS

hooks = plugin(DOMAIN, *HEURISTICS, GENERATOR)
