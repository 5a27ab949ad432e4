"""The names of components, the same everywhere: `[plugin/]NAME[:param=value,…]` or `FILE.py:function[:param=value,…]`.

A value that is itself a name with parameters, or a list, stands in brackets:
`max:of=[taxicab,misplaced]`, `expectimax:heuristic=[left-weighted:corner=-2],depth=3`.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from searchlab.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

FILE_MARK = ".py:"
DEEPEST = 20
"""How deep brackets may be nested: no name that means anything needs more, and each level is a call in a call."""
FURTHER = re.compile(r"[^:=\[\]]+=")
"""The beginning of a parameter in a list of names: `param=`."""
FILE = re.compile(r"[^=,\[\]]*\.py(?=:)")
"""A Python file in a name, or in a name that is the value of a parameter."""


class Spelled(NamedTuple):
    """A parsed name.

    Attributes:
        name: the component's name, or the function's if `file` is given.
        plugin: the distribution or file stem that the component must come from, `""` for any.
        file: the path of the Python file, `""` for a registered name.
        parameters: the values as strings, in the order of the name.
    """

    name: str
    plugin: str = ""
    file: str = ""
    parameters: Mapping[str, str] = MappingProxyType({})


def parse_name(text: str) -> Spelled:
    """Parse a name.

    >>> parse_name("weighted-astar:weight=2").parameters
    {'weight': '2'}
    >>> parse_name("mine/left-heavy").plugin
    'mine'
    >>> parse_name("a/b.py:left:corner=-2").file
    'a/b.py'
    >>> parse_name("[left-weighted:corner=-2]").name
    'left-weighted'

    Raises:
        UsageError: no name, or parameters that are not `param=value,…`.
    """
    text = text.strip()
    if text.startswith("[") and text.endswith("]") and _split(text[1:-1], text):
        text = text[1:-1].strip()
    plugin = file = ""
    if FILE_MARK in text.split("=")[0]:
        path, _, rest = text.partition(FILE_MARK)
        file = f"{path}.py"
        name, _, parameters = rest.partition(":")
    else:
        full, _, parameters = text.partition(":")
        plugin, _, name = full.rpartition("/")
    if not name.strip():
        raise UsageError(f"{shown(text)}: a name is missing; it is spelled NAME or NAME:param=value,…")
    return Spelled(name.strip(), plugin.strip(), file, _parameters(parameters, text))


def format_name(name: str, parameters: Mapping[str, object]) -> str:
    """Return a name with these parameters.

    >>> format_name("2048", {"goal": 64, "spawn": "corner"})
    '2048:goal=64,spawn=corner'
    """
    listed = ",".join(f"{key}={format_value(value)}" for key, value in parameters.items())
    return f"{name}:{listed}" if listed else name


def format_names(names: Iterable[str]) -> str:
    """Return a list of names, the value of a parameter, as `parse_names` reads it.

    >>> format_names(["taxicab", "pattern-database:groups=6-6-3,mirror=no"])
    'taxicab,[pattern-database:groups=6-6-3,mirror=no]'
    """
    return ",".join(f"[{name}]" if "," in name else name for name in names)


def parse_names(text: str) -> list[str]:
    """Parse a list of names, the value of a parameter; a further parameter of a name needs no brackets.

    >>> parse_names("pattern-database:groups=6-6-3,mirror=no,taxicab")
    ['pattern-database:groups=6-6-3,mirror=no', 'taxicab']
    >>> parse_names("[sum:of=[taxicab,misplaced]],taxicab")
    ['sum:of=[taxicab,misplaced]', 'taxicab']

    Raises:
        UsageError: the brackets do not match.
    """
    names: list[str] = []
    for part in map(str.strip, _split(text, text)):
        if names and ":" in names[-1] and FURTHER.match(part):
            names[-1] += f",{part}"
        else:
            names.append(part)
    return [name[1:-1].strip() if name.startswith("[") and name.endswith("]") else name for name in names]


def with_parameters(text: str, parameters: Mapping[str, object]) -> str:
    """Return a name with further parameters.

    >>> with_parameters("mine.py:eager:depth=2", {"seconds": 0.5})
    'mine.py:eager:depth=2,seconds=0.5'
    """
    spelled = parse_name(text)
    source = f"{spelled.file}:" if spelled.file else f"{spelled.plugin}/" if spelled.plugin else ""
    return format_name(source + spelled.name, {**spelled.parameters, **parameters})


def format_value(value: object) -> str:
    """Return the text of a parameter's value in a name."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    text = str(value)
    bare = text == text.strip() != "" and not any(mark in text for mark in ",=[]")
    return text if bare else f"[{text}]"


def with_files(text: str, change: Callable[[str], str]) -> str:
    """Return a name with `change` applied to each Python file, including those in values.

    >>> with_files("greedy:heuristic=[a/mine.py:left:corner=-2]", lambda file: file.removeprefix("a/"))
    'greedy:heuristic=[mine.py:left:corner=-2]'
    """
    return FILE.sub(lambda found: change(found.group()), text)


def files_in(text: str) -> list[str]:
    """Return the Python files in a name, including those in values.

    >>> files_in("greedy:heuristic=[a/mine.py:left:corner=-2]")
    ['a/mine.py']
    """
    return [file.strip() for file in FILE.findall(text)]


def _parameters(text: str, whole: str) -> dict[str, str]:
    """Return the values in `param=value,…` by parameter; commas in brackets do not separate."""
    parameters: dict[str, str] = {}
    for part in _split(text, whole):
        key, equals, value = part.partition("=")
        key, value = key.strip(), value.strip()
        if not key or not equals or not value:
            raise UsageError(f"{shown(whole)}: {shown(part.strip())} is not param=value")
        if key in parameters:
            raise UsageError(f"{shown(whole)}: {key} is given twice")
        if value.startswith("[") and value.endswith("]"):
            value = value[1:-1]
        parameters[key] = value
    return parameters


def _split(text: str, whole: str) -> list[str]:
    """Split a text at the commas outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if depth < 0:
            break
        if depth > DEEPEST:
            raise UsageError(f"{shown(whole)}: brackets are nested more than {DEEPEST} deep")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth:
        raise UsageError(f"{shown(whole)}: the brackets do not match")
    return [part for part in parts if part.strip()] if text.strip() else []
