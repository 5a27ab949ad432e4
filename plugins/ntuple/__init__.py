"""n-tuple networks for 2048: a learner, and a heuristic and a player that use the learned weights."""

from searchlab import plugin
from searchlab_plugins.ntuple.learner import LEARNER
from searchlab_plugins.ntuple.player import PLAYER
from searchlab_plugins.ntuple.trained import HEURISTIC

hooks = plugin(HEURISTIC, PLAYER, LEARNER)
