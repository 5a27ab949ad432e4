"""2048, deterministic and with random tiles: the domains, their heuristics and generators of boards."""

from searchlab import plugin
from searchlab_plugins.twenty48 import domain, random_domain
from searchlab_plugins.twenty48.generators import GENERATORS
from searchlab_plugins.twenty48.heuristics import HEURISTICS
from searchlab_plugins.twenty48.smooth import SMOOTH
from searchlab_plugins.twenty48.tutorial import HEURISTIC, PLAYER

hooks = plugin(domain.DOMAIN, random_domain.DOMAIN, *HEURISTICS, SMOOTH, HEURISTIC, PLAYER, *GENERATORS)
