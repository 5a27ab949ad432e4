"""Why a function cannot be compiled, for its author: the line, the reason in plain words, what to write instead."""

from __future__ import annotations

import dis
import inspect
import linecache
import re
from dataclasses import dataclass
from os.path import basename, isabs
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.compiler.functions import CannotCompile


MEANS_AN_ARRAY = "a NumPy array with the key as index"
GLOBALS = {
    "dict": f"make it {MEANS_AN_ARRAY}, a constant outside the function: WEIGHTS = np.array([…])",
    "set": "make it a NumPy array of bool with the value as index, or compare with each value in a loop",
    "frozenset": "make it a NumPy array of bool with the value as index, or compare with each value in a loop",
    "type": "use plain numbers, tuples and arrays in place of objects, and loops in place of what itertools makes",
    "_lru_cache_wrapper": "take @cache off the helper: compiled, it is fast enough to be called each time",
    "Random": "draw nothing in a heuristic: the same board must have the same value each time",
}
OBJECT = "keep its numbers in constants or NumPy arrays outside the function, and its methods as plain functions"
HINTS: tuple[tuple[str, str, str], ...] = (
    (
        r"modify readonly array",
        "it writes to the array it is given, which others use too",
        "work on a copy: tiles = tiles.copy()",
    ),
    (
        r"use of yield in a closure",
        "a generator expression: sum(… for …), any(… for …)",
        "put brackets around it, sum([… for …]), or write a loop",
    ),
    (r"is a generator", "it uses yield", "return one number"),
    (
        r"exception_match|Exception object cannot be stored|opcode \(.*EXC",
        "try … except with a certain exception",
        "ask first: if tile != 0: … in place of catching the error",
    ),
    (
        r"'with \(context manager\)|context manager in use|opcode \(BEFORE_WITH\)",
        "a with statement",
        "do without: read files when the module is imported",
    ),
    (r"opcode \(IMPORT_NAME\)", "an import inside the function", "move it to the top of the file"),
    (
        r"opcode \(STORE_GLOBAL\)",
        "it assigns to a global variable",
        "keep nothing between calls: the same board must have the same value each time",
    ),
    (
        r"opcode \((\w+)\)",
        "a construct of Python that compiled code does not have",
        "write it with loops, ifs and arithmetic",
    ),
    (
        r"module 'time'|module 'datetime'|unknown .*\btime\b",
        "it reads the clock",
        "a heuristic depends on the board alone: take it out",
    ),
    (
        r"module 'random'|numpy\.random",
        "it draws random numbers",
        "a heuristic depends on the board alone: take it out",
    ),
    (
        r"unsupported NumPy function '([\w.]+)'",
        r"\1, which compiled code does not have",
        "write it as a loop over rows and columns",
    ),
    (
        r"Unknown attribute 'tolist'",
        "tolist()",
        "index the array itself: tiles[row, column]",
    ),
    (
        r"Unknown attribute '(\w+)' of type (?:readonly )?array",
        r"an array has no \1 in compiled code",
        r"use a function of NumPy, np.\1(…) if there is one, or a loop",
    ),
    (r"Unknown attribute 'add' of type iter", "a set comprehension", "count in a loop, or take np.unique(…)"),
    (
        r"Unknown attribute '(\w+)'",
        r"\1 is unknown to compiled code",
        "write it as a loop, or as a function of your own",
    ),
    (
        r"Cannot unify (.+?) and (.+?) for '([\w$.]+)'",
        r"the variable \3 is now one type and now another (\1, \2)",
        "let it hold one type of value, a number, throughout",
    ),
    (
        r"Invalid use of getiter.*Tuple",
        "a list or tuple of mixed types",
        "put values of one type in it, numbers, or two lists side by side",
    ),
    (
        r"Cannot infer the type of variable '([\w$.]+)'.*list\(undefined\)",
        r"the list \1 stays empty, so its type is unknown",
        "count or add up as you go, or begin with an array: np.zeros(n)",
    ),
    (
        r"NameError: name '(\w+)' is not defined",
        r"\1 is not defined anywhere",
        "define it, or mend its spelling",
    ),
    (
        r"recursion",
        "a function that calls itself, and no way through it ends in a plain value",
        "begin it with the case that returns a plain number, or write a loop",
    ),
    (
        r"Can't unify return type",
        "it returns now one type and now another",
        "return a number, each time",
    ),
    (
        r"not always a number|No conversion from (?:readonly )?(?:none|array|unicode|Tuple|list)",
        "what it returns is not always a number",
        "end every way through the function with return and a number",
    ),
    (r"\*args in function call", "f(*values)", "name the arguments one by one, or use values.max() and the like"),
    (
        r"Function\(<(?:built-in )?function (?:npy_)?(\w+)[^>]*>\) found",
        r"\1 with these arguments, which compiled code does not have",
        "use fewer arguments (no key=, no axis=, return_…=), or write a loop",
    ),
    (
        r"Type of variable .* cannot be determined",
        "a value whose type cannot be told",
        "assign it on a line of its own first",
    ),
)
"""Patterns of messages of numba and of the compiler; what they mean; what to write instead."""
SPECIAL = {
    "setitem": ("values of different types in one container", "keep to one type: a NumPy array with the key as index"),
    "getitem": (
        "an index that does not fit",
        "index with as many whole numbers as there are dimensions: tiles[row, column]",
    ),
}


@dataclass(frozen=True)
class Obstacle:
    """The reason why a function cannot be compiled.

    Attributes:
        file, line: the place, '' and 0 if it is not known.
        source: that line.
        what: the reason, in plain words.
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
    """Return the reason why a function cannot be compiled, from the error."""
    said = _message(error)
    what, instead = _meaning(said)
    plain = inspect.unwrap(function)
    file = (inspect.getsourcefile(plain) or "") if isinstance(plain, FunctionType) else ""
    line = _line_in_message(said, file) or _line_of_global(said, function) or _line_of_construct(said, function)
    if not line and isinstance(plain, FunctionType):
        line = plain.__code__.co_firstlineno
        while linecache.getline(file, line).lstrip().startswith("@"):
            line += 1
    source = linecache.getline(file, line).strip() if line else ""
    return Obstacle(file, line if source else 0, source, what, instead)


def _message(error: CannotCompile) -> str:
    """Return the whole message without colours, searchlab's own or numba's."""
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
    """Return a message with types in plain words."""
    for pattern, name in (
        (r"Literal\[int\]\([^)]*\)|\bu?int\d+\b", "a whole number"),
        (r"\bfloat\d+\b", "a number"),
        (r"Literal\[str\]\([^)]*\)|unicode_type", "a text"),
        (r"\bnone\b", "None"),
        (r"(the variable \w+)\.\d+", r"\1"),
    ):
        text = re.sub(pattern, name, text)
    return text


def _line_in_message(said: str, file: str) -> int:
    """Return the last line of the author's file in a message, 0 if there is none; numba may shorten the path."""
    mentioned = re.findall(r'File "([^"]+)", line (\d+)|((?:/|\w:)[^\s"]+) \((\d+)\)', said)
    places = [(one or other, int(line or at)) for one, line, other, at in mentioned]
    lines = [line for path, line in places if path == file or (not isabs(path) and basename(path) == basename(file))]
    return lines[-1] if lines else 0


def _line_of_global(said: str, function: Callable[..., Any]) -> int:
    """Return the line that uses the global in a message, 0 if it names none."""
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
    """Return the line of the construct in a message that has no line, 0 if it names none."""
    instruction_of = {"uses yield": "YIELD_VALUE", "'with (context": "BEFORE_WITH"}
    wanted = [instruction for words, instruction in instruction_of.items() if words in said]
    for code in codes(function) if wanted else ():
        for instruction in dis.get_instructions(code):
            if instruction.opname in wanted and instruction.positions:
                return instruction.positions.lineno or 0
    return 0


def codes(function: Callable[..., Any]) -> Iterator[CodeType]:
    """Yield the code of a function, of functions inside it, and of the functions of its module that it uses."""
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
