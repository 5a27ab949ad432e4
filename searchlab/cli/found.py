"""What a name on the command line stands for, of whatever kind it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean

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
    from searchlab.lookup import brings
    from searchlab.plugins import KINDS
    from searchlab.spelling import parse_name

    kinds = [words[0]] if len(words) > 1 and words[0] in KINDS else list(KINDS)
    if len(words) > 2 or (len(words) == 2 and words[0] not in KINDS):
        raise UsageError(f"{' '.join(words)!r}: write one NAME, or KIND NAME with KIND one of {', '.join(KINDS)}")
    spelled = parse_name(words[-1])
    if spelled.file:
        return spelled, [plugins.in_file(spelled, kinds)]
    matches = [(kind, registered) for kind in kinds for registered in plugins.all(kind) if brings(registered, spelled)]
    if not matches:
        names = [n for k in kinds for r in plugins.all(k) for n in (r.component.name, *r.component.aliases)]
        raise UsageError(f"nothing is called {words[-1]!r}: {did_you_mean(spelled.name, names)}")
    return spelled, matches
