"""Lights Out: the domain, its heuristics and its generator of boards."""

from searchlab import plugin
from searchlab_plugins.lights_out.domain import DOMAIN, GENERATOR
from searchlab_plugins.lights_out.heuristics import HEURISTICS

hooks = plugin(DOMAIN, *HEURISTICS, GENERATOR)
