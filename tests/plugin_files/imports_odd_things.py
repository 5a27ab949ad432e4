"""A plugin with things in its namespace that answer to every name, or to none; and a hook under a name of its own."""

from unittest.mock import call

from searchlab import Heuristic, hookimpl


class Grumpy:
    def __getattr__(self, name):
        raise RuntimeError(name)


grumpy, anything = Grumpy(), call


@hookimpl(specname="searchlab_heuristics")
def mine():
    yield Heuristic("odd", len)
