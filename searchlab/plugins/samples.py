"""The small boards for checking and drawing a domain and its heuristics: its samples, else its start board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import fill_arguments
from searchlab.errors import PluginCode, PluginError, UsageError, at_most, in_one_line
from searchlab.plugins import lookup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board

MOST_SAMPLES = 1000


def sample_boards(domain: BoundDomain) -> list[tuple[BoundDomain, Board]]:
    """Return the boards of a domain's samples, each with its domain, else its start board.

    Raises:
        UsageError: the domain has neither.
        PluginError: the domain fails, or a sample is not a board of the domain.
    """
    samples, start = domain.component.samples, domain.component.start
    what = f"{domain.name}: {'samples' if samples else 'start'} failed"
    with PluginCode(lambda error: PluginError(f"{what}: {in_one_line(error)}"), ()):
        if samples is not None:
            arguments = fill_arguments(domain.name, samples, 0, domain.values)
            found = at_most(MOST_SAMPLES, samples(**arguments), "boards", PluginError)
            pairs = [_sample(domain, item) for item in found]
            if domain.target is not None:  # it is for boards of its shape
                pairs = [(each, board) for each, board in pairs if board.shape == domain.target.shape]
        elif start is not None:
            board = domain.start()
            domain.states.need_boards(board, f"the check of {domain.name}")
            pairs = [(domain, board)]
        else:
            pairs = []
        for each, board in pairs:
            each.check(board)
    if not pairs and domain.target is not None:
        raise UsageError(f"no sample of {domain.name} has the shape of the board to reach: name a board with --board")
    if not pairs and samples is None:
        what = "has neither a start nor samples to check with"
        raise UsageError(f"{domain.name} {what}: add start= or samples= to the domain, or name a board with --board")
    return pairs


def _sample(domain: BoundDomain, item: Any) -> tuple[BoundDomain, Board]:
    """Return a sample board and its domain, from an item of `samples`: a pair, or the board alone."""
    parameters, board = item if isinstance(item, tuple) else ({}, item)
    return with_parameters(domain, parameters).at(board)


def small_board(domain: BoundDomain) -> tuple[BoundDomain, Board]:
    """Return the first board of `sample_boards`, and its domain.

    Raises:
        UsageError, PluginError: there is none.
    """
    pairs = sample_boards(domain)
    if not pairs:
        raise UsageError(f"the samples of {domain.name} are no boards at all: name a board with --board")
    return pairs[0]


def with_parameters(domain: BoundDomain, parameters: Mapping[str, Any]) -> BoundDomain:
    """Return a domain with a sample's parameters in place of defaults."""
    defaults = {parameter.name: parameter.default for parameter in domain.component.own_parameters()}
    set_anew = {name: value for name, value in domain.values.items() if value != defaults[name]}
    return lookup.domain(domain.component, **{**parameters, **set_anew})
