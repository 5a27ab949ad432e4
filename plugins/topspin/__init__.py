"""TopSpin: the domain, its heuristics and its generator of boards."""

from searchlab import plugin
from searchlab_plugins.topspin.domain import DOMAIN, GENERATOR
from searchlab_plugins.topspin.heuristics import HEURISTICS

hooks = plugin(DOMAIN, *HEURISTICS, GENERATOR)
