"""Paths in graphs: the domain, its heuristics and a generator; `instance` makes an instance of a Python graph."""

from searchlab import plugin
from searchlab_plugins.graph.conversion import instance as instance
from searchlab_plugins.graph.domain import DOMAIN
from searchlab_plugins.graph.generators import GENERATORS
from searchlab_plugins.graph.heuristics import HEURISTICS

hooks = plugin(DOMAIN, *HEURISTICS, *GENERATORS)
