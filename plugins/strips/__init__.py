"""Planning tasks in PDDL: the domain, its heuristics and its generators of tasks."""

from searchlab import plugin
from searchlab_plugins.strips.domain import DOMAIN
from searchlab_plugins.strips.generators import GENERATORS
from searchlab_plugins.strips.heuristics import HEURISTICS

hooks = plugin(DOMAIN, *HEURISTICS, *GENERATORS)
