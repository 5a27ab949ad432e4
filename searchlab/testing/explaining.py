"""Why a function cannot be compiled, for its author: the line, what is wrong in plain words, what to write instead."""

from __future__ import annotations

import dis
import inspect
import linecache
import re
from dataclasses import dataclass
from os.path import basename, isabs
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from searchlab.testing.hints import GLOBALS, HINTS, OBJECT, SPECIAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.compiler.functions import CannotCompile


@dataclass(frozen=True)
class Obstacle:
    """What prevents a function from being compiled.

    Attributes:
        file, line: where, an empty text and 0 where that is not known.
        source: that line.
        what: in plain words.
        instead: what to write instead.
    """

    file: str
    line: int
    source: str
    what: str
    instead: str

    def __str__(self) -> str:
        where = f"line {self.line}, `{self.source}`: " if self.line else ""
        return f"{where}{self.what}; {self.instead}"


def obstacle(error: CannotCompile, function: Callable[..., Any]) -> Obstacle:
    """Return what prevents a function from being compiled, from what was said of it."""
    said = _said(error)
    what, instead = _meaning(said)
    plain = inspect.unwrap(function)
    file = (inspect.getsourcefile(plain) or "") if isinstance(plain, FunctionType) else ""
    line = _line_said(said, file) or _line_of_global(said, function) or _line_of_construct(said, function)
    if not line and isinstance(plain, FunctionType):
        line = plain.__code__.co_firstlineno
        while linecache.getline(file, line).lstrip().startswith("@"):
            line += 1
    source = linecache.getline(file, line).strip() if line else ""
    return Obstacle(file, line if source else 0, source, what, instead)


def _said(error: CannotCompile) -> str:
    """Return all that was said, without colours: our own words, or numba's."""
    cause = error.__cause__
    ours = cause is None or type(cause) is type(error)
    return re.sub(r"\x1b\[\d*m", "", str(error) if ours else f"{cause}\n{error}")


def _meaning(said: str) -> tuple[str, str]:
    used = re.search(r"it uses ([\w.]+), an? (\w+)", said)
    if used:
        name, kind = used.groups()
        article = "an" if kind[0] in "aeiou" else "a"
        described = f"{article} {kind}" if kind in ("dict", "set", "frozenset") else f"an object ({kind})"
        return f"it uses {name}, {described}", GLOBALS.get(kind, OBJECT)
    for pattern, what, instead in HINTS:
        found = re.search(pattern, said, re.DOTALL if pattern.startswith("Cannot infer") else 0)
        if not found:
            continue
        if found.lastindex and found.group(1) in SPECIAL:
            return SPECIAL[found.group(1)]
        return _plain(found.expand(what)), found.expand(instead)
    first = said.partition(" cannot be compiled: ")[2].splitlines()
    return (first[0] if first else said.splitlines()[0]), "docs/plugins.md lists what compiles"


def _plain(text: str) -> str:
    """Return types as people call them."""
    for pattern, name in (
        (r"Literal\[int\]\([^)]*\)|\bu?int\d+\b", "a whole number"),
        (r"\bfloat\d+\b", "a number"),
        (r"Literal\[str\]\([^)]*\)|unicode_type", "a text"),
        (r"\bnone\b", "None"),
        (r"(the variable \w+)\.\d+", r"\1"),
    ):
        text = re.sub(pattern, name, text)
    return text


def _line_said(said: str, file: str) -> int:
    """Return the last line of the author's file that was mentioned, 0 if none was; numba may shorten the path."""
    mentioned = re.findall(r'File "([^"]+)", line (\d+)|((?:/|\w:)[^\s"]+) \((\d+)\)', said)
    places = [(one or other, int(line or at)) for one, line, other, at in mentioned]
    lines = [line for path, line in places if path == file or (not isabs(path) and basename(path) == basename(file))]
    return lines[-1] if lines else 0


def _line_of_global(said: str, function: Callable[..., Any]) -> int:
    """Return the line that uses the global a message speaks of, 0 if it speaks of none."""
    used = re.search(r"(?:it uses|name) '?([\w.]+)'?(?:, a| is not defined)", said)
    if not used:
        return 0
    name = used.group(1).split(".")[0]
    for code in codes(function):
        for instruction in dis.get_instructions(code):
            if instruction.argval == name and instruction.opname.startswith("LOAD_") and instruction.positions:
                return instruction.positions.lineno or 0
    return 0


def _line_of_construct(said: str, function: Callable[..., Any]) -> int:
    """Return the line of the construct a message speaks of without saying where, 0 if it speaks of none."""
    instruction_of = {"uses yield": "YIELD_VALUE", "'with (context": "BEFORE_WITH"}
    wanted = [instruction for words, instruction in instruction_of.items() if words in said]
    for code in codes(function) if wanted else ():
        for instruction in dis.get_instructions(code):
            if instruction.opname in wanted and instruction.positions:
                return instruction.positions.lineno or 0
    return 0


def codes(function: Callable[..., Any]) -> Iterator[CodeType]:
    """Yield the code of a function, of those inside it, and of the helpers of its file that it names."""
    waiting: list[Any] = [inspect.unwrap(function)]
    met: set[int] = set()
    while waiting:
        item = waiting.pop(0)
        if id(item) in met:
            continue
        met.add(id(item))
        if isinstance(item, CodeType):
            yield item
            waiting += [constant for constant in item.co_consts if isinstance(constant, CodeType)]
        elif isinstance(item, FunctionType):
            waiting.append(item.__code__)
            waiting += [item.__globals__.get(name) for name in item.__code__.co_names]
