"""Paths on grid maps: the domain, its heuristics and its generators of maps."""

from searchlab import plugin
from searchlab_plugins.grid_map.domain import DOMAIN
from searchlab_plugins.grid_map.generators import GENERATORS
from searchlab_plugins.grid_map.heuristics import HEURISTICS

hooks = plugin(DOMAIN, *HEURISTICS, *GENERATORS)
