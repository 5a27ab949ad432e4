"""The frontier strategies that ship with searchlab."""

from searchlab import plugin
from searchlab_plugins.frontiers.alternating import ALTERNATING
from searchlab_plugins.frontiers.ara import ARA
from searchlab_plugins.frontiers.cabs import CABS
from searchlab_plugins.frontiers.strategies import FRONTIERS
from searchlab_plugins.frontiers.xdp import XDP

hooks = plugin(*FRONTIERS, XDP, ALTERNATING, ARA, CABS)
