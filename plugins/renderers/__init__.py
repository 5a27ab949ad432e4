"""The renderers that ship with searchlab, which draw boards of any game."""

from searchlab import plugin
from searchlab_plugins.renderers.box import BOX

hooks = plugin(BOX)
