"""Stored nodes of `early_buckets`: a record each, so that looking at one touches one line of the cache.

    record      [ word | … | link ]     the packed state and, in a word of its own, all else about the node
    link        bits 0 … 31 its parent, 32 … 45 its g, 46 … 59 its h, 60 … 63 its flags

A node that was taken from the open list and not yet expanded is neither OPEN nor CLOSED.
"""

from __future__ import annotations

from typing import Any

from searchlab.search.kernels.table import CLOSED, OPEN, I, U

H_AT, G_AT, FLAGS_AT = U(46), U(32), U(60)
PARENT, VALUE = U(2**32 - 1), U(2**14 - 1)
OPEN_BIT, CLOSED_BIT = U(OPEN) << FLAGS_AT, U(CLOSED) << FLAGS_AT


def link_of(parent: int, g: int, h: int, flags: int) -> Any:
    """Return the link of a node."""
    return U(parent) | U(g) << G_AT | U(h) << H_AT | U(flags) << FLAGS_AT


def parent_of(link: Any) -> int:
    """Return the node it was reached from; the start's is itself."""
    return I(link & PARENT)


def cost_of(link: Any) -> int:
    """Return its g."""
    return I((link >> G_AT) & VALUE)


def estimate_of(link: Any) -> int:
    """Return its h."""
    return I((link >> H_AT) & VALUE)


def flags_of(link: Any) -> int:
    """Return its flags: OPEN, CLOSED, TERMINAL."""
    return I(link >> FLAGS_AT)


def taken(link: Any) -> Any:
    """Return the link of a node that is taken from the open list."""
    return link & ~OPEN_BIT


def closed(link: Any) -> Any:
    """Return the link of a node that is expanded."""
    return link | CLOSED_BIT
