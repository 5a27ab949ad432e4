"""The players that ship with searchlab."""

from searchlab import plugin
from searchlab_plugins.players.exact import PLAYER
from searchlab_plugins.players.expectimax import EXPECTIMAX
from searchlab_plugins.players.program import PROGRAM
from searchlab_plugins.players.simple import PLAYERS
from searchlab_plugins.players.solved import HEURISTIC

hooks = plugin(HEURISTIC, *PLAYERS, EXPECTIMAX, PLAYER, PROGRAM)
