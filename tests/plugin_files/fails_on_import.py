"""A plugin that fails while it is imported, in a function of the standard library."""

import json

SETTINGS = json.loads("{")
