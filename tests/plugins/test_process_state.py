"""The state of the process is restored after plugins, and none of their code runs for it."""

import warnings

from searchlab.plugins.process_state import ProcessState


class Incomparable(type):
    """The class of categories that cannot be compared."""

    def __eq__(cls, other):
        raise ValueError("compared")

    __hash__ = type.__hash__


class Noise(Warning, metaclass=Incomparable):
    """A warning of a plugin."""


def test_filters_of_warnings_are_restored_without_a_comparison_of_their_categories():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = list(warnings.filters)
        state = ProcessState()
        action, message, _, module, line = warnings.filters[0]
        warnings.filters.insert(0, (action, message, Noise, module, line))
        assert state.restore()
        assert list(map(id, warnings.filters)) == list(map(id, before))
