"""A plugin that wants to end the program."""

import sys

sys.exit("not on this machine")
