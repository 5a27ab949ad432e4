"""What a name on the command line stands for, of whatever kind it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError

if TYPE_CHECKING:
    from searchlab.lookup import Registered
    from searchlab.plugins import Plugins
    from searchlab.spelling import Spelled


def found(plugins: Plugins, words: tuple[str, ...]) -> tuple[Spelled, list[tuple[str, Registered[Any]]]]:
    """Return a name taken apart, and everything it stands for, with its kind.

    Args:
        words: the name, or its kind and the name.

    Raises:
        UsageError: it stands for nothing.
    """
    from searchlab.kinds import KINDS
    from searchlab.spelling import parse_name

    kinds = [words[0]] if len(words) > 1 and words[0] in KINDS else list(KINDS)
    if len(words) > 2 or (len(words) == 2 and words[0] not in KINDS):
        raise UsageError(f"{' '.join(words)!r}: write one NAME, or KIND NAME with KIND one of {', '.join(KINDS)}")
    spelled = parse_name(words[-1])
    return spelled, plugins.find(spelled, kinds)
