"""The Towers of Hanoi with any number of pegs: the domain, its heuristics and its generator of boards."""

from searchlab import plugin
from searchlab_plugins.hanoi.domain import DOMAIN, GENERATOR
from searchlab_plugins.hanoi.heuristics import HEURISTICS

hooks = plugin(DOMAIN, *HEURISTICS, GENERATOR)
