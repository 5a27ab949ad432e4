"""Suggestions for misspelt names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], aliases: Iterable[str] = (), most: int | None = None) -> str:
    """Return the end of an error message about a misspelt name: the nearest known names, then all names.

    Args:
        name: the misspelt name.
        known: the available names.
        aliases: other names, which are suggested but not listed.
        most: the largest number of names to list, the nearest first; by default all, in alphabetical order.

    >>> did_you_mean("gredy", ["greedy", "astar"])
    "did you mean 'greedy'? There are astar and greedy"
    >>> did_you_mean("gredy", ["astar", "beam", "greedy"], most=2)
    "did you mean 'greedy'? There are greedy, beam and 1 more"
    >>> did_you_mean("depth", ["weight"])
    'there is only weight'
    """
    from difflib import SequenceMatcher, get_close_matches

    names = sorted(set(known))
    near = get_close_matches(name, sorted({*names, *aliases}), n=2, cutoff=0.6)
    if most is not None and len(names) > most:
        names.sort(key=lambda other: -SequenceMatcher(None, other, name).ratio())
        names[most:] = [f"{len(names) - most} more"]
    if len(names) > 1:
        listed = f"there are {', '.join(names[:-1])} and {names[-1]}"
    else:
        listed = f"there is only {names[0]}" if names else "there are none"
    return f"did you mean {' or '.join(map(repr, near))}? T{listed[1:]}" if near else listed
