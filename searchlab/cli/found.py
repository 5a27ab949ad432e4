"""What a name on the command line stands for, of whatever kind it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection

    from searchlab.binding.names import Spelled
    from searchlab.plugins.names import Registered
    from searchlab.plugins.registry import Plugins


def found(plugins: Plugins, words: tuple[str, ...]) -> tuple[Spelled, list[tuple[str, Registered[Any]]]]:
    """Return a name taken apart, and everything it stands for, with its kind.

    Args:
        words: the name, or its kind and the name.

    Raises:
        UsageError: it stands for nothing.
    """
    from searchlab.binding.names import parse_name
    from searchlab.model.kinds import KINDS

    kind, name = kind_and_name(words, KINDS)
    spelled = parse_name(name)
    return spelled, plugins.find(spelled, [kind] if kind else list(KINDS))


def kind_and_name(words: tuple[str, ...], kinds: Collection[str]) -> tuple[str, str]:
    """Return the kind, one of these or empty where it was left out, and the name that were typed.

    Raises:
        UsageError: something else was typed.
    """
    if len(words) == 1:
        return "", words[0]
    if len(words) == 2 and words[0] in kinds:
        return words[0], words[1]
    raise UsageError(f"{' '.join(words)!r}: write one NAME, or KIND NAME with KIND one of {', '.join(kinds)}")
