"""The sliding-tile puzzle: the domain, its heuristics and its generators of boards."""

from searchlab import plugin
from searchlab_plugins.sliding_tile.domain import DOMAIN
from searchlab_plugins.sliding_tile.generators import GENERATORS
from searchlab_plugins.sliding_tile.heuristics import HEURISTICS
from searchlab_plugins.sliding_tile.line_conflicts import LINEAR_CONFLICT
from searchlab_plugins.sliding_tile.pattern_database import PATTERN_DATABASE
from searchlab_plugins.sliding_tile.walking_distance import WALKING_DISTANCE

hooks = plugin(DOMAIN, *HEURISTICS, LINEAR_CONFLICT, WALKING_DISTANCE, PATTERN_DATABASE, *GENERATORS)
