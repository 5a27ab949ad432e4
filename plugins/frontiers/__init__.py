"""The frontier strategies that ship with searchlab."""

from searchlab import plugin
from searchlab_plugins.frontiers.alternating import ALTERNATING
from searchlab_plugins.frontiers.ana import ANA
from searchlab_plugins.frontiers.anytime_weighted import ANYTIME_WEIGHTED
from searchlab_plugins.frontiers.ara import ARA
from searchlab_plugins.frontiers.astar_epsilon import ASTAR_EPSILON
from searchlab_plugins.frontiers.bae_star import BAE_STAR
from searchlab_plugins.frontiers.bead import BEAD
from searchlab_plugins.frontiers.bidirectional import BIDIRECTIONAL_BREADTH_FIRST
from searchlab_plugins.frontiers.cabs import CABS
from searchlab_plugins.frontiers.dps import DPS
from searchlab_plugins.frontiers.dvcbs import DVCBS
from searchlab_plugins.frontiers.dynamic_weighting import DYNAMIC_WEIGHTING
from searchlab_plugins.frontiers.ees import EES
from searchlab_plugins.frontiers.epea_star import EPEA_STAR
from searchlab_plugins.frontiers.epsilon_greedy import EPSILON_GREEDY
from searchlab_plugins.frontiers.ibex import IBEX
from searchlab_plugins.frontiers.ios import IOS
from searchlab_plugins.frontiers.local_exploration import LOCAL_EXPLORATION
from searchlab_plugins.frontiers.mm import MM
from searchlab_plugins.frontiers.nbs import NBS
from searchlab_plugins.frontiers.optimistic import OPTIMISTIC
from searchlab_plugins.frontiers.pea_star import PEA_STAR
from searchlab_plugins.frontiers.pts import PTS
from searchlab_plugins.frontiers.pwxd import PWXD
from searchlab_plugins.frontiers.rectangle import RECTANGLE
from searchlab_plugins.frontiers.restarting_weighted import RESTARTING_WEIGHTED
from searchlab_plugins.frontiers.strategies import FRONTIERS
from searchlab_plugins.frontiers.type_based import TYPE_BASED
from searchlab_plugins.frontiers.xdp import XDP
from searchlab_plugins.frontiers.xup import XUP

hooks = plugin(
    *FRONTIERS,
    *(IBEX, PEA_STAR, EPEA_STAR),
    *(XDP, XUP, PWXD, DYNAMIC_WEIGHTING, DPS, PTS),
    *(ASTAR_EPSILON, EES, IOS, OPTIMISTIC),
    *(TYPE_BASED, EPSILON_GREEDY, LOCAL_EXPLORATION),
    *(BIDIRECTIONAL_BREADTH_FIRST, MM, NBS, DVCBS, BAE_STAR),
    *(ALTERNATING, ANYTIME_WEIGHTED, ARA, RESTARTING_WEIGHTED, ANA, BEAD, CABS, RECTANGLE),
)
