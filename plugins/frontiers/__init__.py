"""The frontier strategies that ship with searchlab."""

from searchlab import plugin
from searchlab_plugins.frontiers.cabs import CABS
from searchlab_plugins.frontiers.strategies import FRONTIERS

hooks = plugin(*FRONTIERS, CABS)
