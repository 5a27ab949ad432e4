"""Explain to the author why a function cannot be compiled: the line, the reason in plain words, the alternative."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import re
from dataclasses import dataclass
from os.path import basename
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from searchlab.compiler.reductions import builtins_in
from searchlab.compiler.rewriting import make_loops
from searchlab.compiler.source import copied, definition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


GLOBALS = {
    "dict": "look keys up in the function itself, D[key], and write the function in a file",
    "set": "write `x in S` in the function itself, and the function in a file",
    "frozenset": "write `x in S` in the function itself, and the function in a file",
    "type": "write methods as functions of the tiles, def method(tiles): …, and loops in place of what itertools makes",
    "_lru_cache_wrapper": "take @cache off the helper: compiled, it is fast enough to be called each time",
    "Random": "draw nothing in a heuristic: the same board must have the same value each time",
}
OBJECT = "keep its numbers in constants or NumPy arrays outside the function, and its methods as plain functions"
GENERATOR = "a generator expression outside sum, any, all, min and max"
WITHOUT_SOURCE = "a generator expression, and the source of the function is not at hand, or has changed since"
BEST = "write a loop that keeps the best"
COUNT = "count in a loop, or take np.unique(…)"
IN_BRACKETS = "put brackets around it, sorted([… for …]), or write a loop"
MASK = "a mask of more than one dimension", "flatten first, flat = tiles.ravel(), then flat[flat > 2]; or write a loop"
A_DICT = "a dictionary", "write `counts = np.zeros(16)` with the key as index, and count in it: `counts[key] += 1`"
HINTS: tuple[tuple[str, str, str], ...] = (
    (
        r"<function \w*searchlab_looks_up_\w+ ",
        "a key or a default of another kind than the keys and the values of the dict",
        "look up whole numbers, D[int(x)], or as many of them as the keys have, D[row, column]",
    ),
    (
        r"modify readonly array",
        "it writes to the array it is given, which others use too",
        "work on a copy: tiles = tiles.copy()",
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
    (r"impl_(?:get|setdefault|pop|items|keys|values|update|clear)\b|DictType\[", *A_DICT),
    (
        r"Untyped global name '(all|any)'",
        r"\1(…), which compiled code does not have",
        "write a loop that returns as soon as it is known, or np.all(…), np.any(…) of an array",
    ),
    (
        r"Untyped global name '(\w+)'.*<class '(?:builtin_function_or_method|type)'>",
        r"\1, which compiled code does not have",
        "write it as a loop, or as a function of your own",
    ),
    (
        r"f-strings? not supported",
        "a text that is made from numbers",
        "compare and compute with the numbers themselves",
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
    (r"Unknown attribute 'add' of type iter", "a set comprehension", COUNT),
    (
        r"Unsupported use of cell variable",
        "a function inside the function that calls itself",
        "move it out, and give it what it needs: def count(tiles, place): …",
    ),
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
    (r"(what it carries is not always whole numbers)", r"\1", "make them so by np.int64(…)"),
    (
        r"annotated `-> int`",
        "it is annotated `-> int` and returns fractions, or signed numbers in one place and unsigned ones in another",
        "write `return np.int64(…)` in each",
    ),
    (
        r"Function\(<built-in function i?(?:add|sub|mul|\w*div|mod|pow|and_?|or_?|xor|[lg][te]|eq|ne|[lr]shift)>",
        "an operator between two values that do not go together",
        "join numbers with numbers and arrays with arrays; whole numbers by &, | and ^",
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
"""Patterns of messages of numba and of the compiler, each with its meaning and an alternative."""
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
        file, line: the place, `""` and 0 if unknown.
        source: the source of that line.
        what: the reason, in plain words.
        instead: the alternative.
    """

    file: str
    line: int
    source: str
    what: str
    instead: str

    def in_short(self) -> str:
        """Return the obstacle in one line without the source."""
        where = f" (line {self.line} of {basename(self.file)})" if self.line else ""
        return f"{self.what}{where}; {self.instead}"

    def __str__(self) -> str:
        where = f"line {self.line}, `{self.source}`: " if self.line else ""
        return f"{where}{self.what}; {self.instead}"


class CannotCompile(Exception):
    """A function cannot be compiled; the message is one line for its author.

    Attributes:
        obstacle: the reason, if known.
    """

    obstacle: Obstacle | None = None


def refusal(file: str, line: int, what: str, instead: str) -> CannotCompile:
    """Return the error of a function that does something at a line that does not compile."""
    found = Obstacle(file, line, linecache.getline(file, line).strip(), what, instead)
    error = CannotCompile(found.in_short())
    error.obstacle = found
    return error


def obstacle(error: CannotCompile, function: Callable[..., Any]) -> Obstacle:
    """Return the reason why a function cannot be compiled, from the error itself or from its message."""
    return error.obstacle or obstacle_in(str(error), function)


def obstacle_in(said: str, function: Callable[..., Any]) -> Obstacle:
    """Return the reason why a function cannot be compiled.

    Args:
        said: the whole message, searchlab's own or numba's.
    """
    said = re.sub(r"\x1b\[\d*m", "", said)
    in_source = None if "it uses" in said else _construct(said, function)
    if in_source:
        (file, line), (what, instead) = in_source
    else:
        what, instead = _meaning(said)
        file, line = _place(said, function)
    source = linecache.getline(file, line).strip() if line else ""
    return Obstacle(file, line if source else 0, source, what, instead)


def _place(said: str, function: Callable[..., Any]) -> tuple[str, int]:
    """Return the file and the line of a message, by default those of the function; `""` and 0 if unknown."""
    plain = inspect.unwrap(function)
    file = (inspect.getsourcefile(plain) or "") if isinstance(plain, FunctionType) else ""
    found = _line_in_message(said, function) or _line_of_global(said, function) or _line_of_instruction(said, function)
    if found or not isinstance(plain, FunctionType):
        return found or (file, 0)
    line = plain.__code__.co_firstlineno
    while linecache.getline(file, line).lstrip().startswith("@"):
        line += 1
    return file, line


def _construct(said: str, function: Callable[..., Any]) -> tuple[tuple[str, int], tuple[str, str]] | None:
    """Return the place of a construct in the source that does not compile, and its meaning, or None.

    The source is searched because numba reports such constructs without a line, or in words that depend on the version
    of Python.
    """
    for code in codes(function):
        for inner in code.co_consts if definition(code) is None else ():
            if isinstance(inner, CodeType) and inner.co_name == "<genexpr>":
                return (inner.co_filename, inner.co_firstlineno), (WITHOUT_SOURCE, IN_BRACKETS)
        for node in _nodes(code):
            meaning = _meaning_of(node, said, code.co_filename)
            if meaning:
                return _line_of(node, code), meaning
    return None


def _meaning_of(node: ast.AST, said: str, file: str) -> tuple[str, str] | None:
    """Return the meaning of a construct that does not compile and what to write instead, None for any other."""
    if isinstance(node, ast.GeneratorExp):
        return GENERATOR, _in_brackets(node, file)
    if "AssertionError" in said and isinstance(node, ast.Subscript) and _is_mask(node.slice):
        return MASK
    if "Unknown attribute 'add' of type iter" in said and isinstance(node, ast.SetComp):
        return "a set comprehension", _written(node, file, lambda text: f"set([{text[1:-1].strip()}])") or COUNT
    if not isinstance(node, ast.Call):
        return None
    called = node.func
    if isinstance(called, ast.Attribute) and called.attr == "tolist" and "attribute 'tolist'" in said:
        without = re.compile(r"\s*\.\s*tolist\(\)$")
        return "tolist()", _written(node, file, lambda text: without.sub("", text)) or "index the array itself"
    if not isinstance(called, ast.Name) or f"<built-in function {called.id}>" not in said:
        return None
    if any(keyword.arg == "key" for keyword in node.keywords):
        return f"{called.id} with key=", BEST
    if len(node.args) == 1 and (each := _each_of_map(node.args[0])):
        return f"{called.id} of map", _written(node.args[0], file, lambda text: each) or "write … for … in …"
    return None


def _each_of_map(node: ast.expr) -> str:
    """Return `map(lambda x: …, …)` as a generator expression without parentheses, `""` for anything else."""
    match node:
        case ast.Call(ast.Name("map"), [ast.Lambda(ast.arguments(args=[one])) as of, items]):
            return f"{ast.unparse(of.body)} for {one.arg} in {ast.unparse(items)}"
    return ""


def _nodes(code: CodeType) -> Iterator[ast.AST]:
    """Yield the nodes of a function's source, as it is compiled; none if the source is not available."""
    node = definition(code)
    if node is not None:
        changed = copied(node)
        make_loops(changed, builtins_in(node, code.co_freevars, {}))
        yield from ast.walk(changed)


def _in_brackets(node: ast.GeneratorExp, file: str) -> str:
    """Return what to write in place of a generator expression."""
    line = linecache.getline(file, node.end_lineno or 0)
    if "key=" in line[node.end_col_offset or 0 :]:
        return BEST
    is_argument = re.search(r"[\w)\]]$", linecache.getline(file, node.lineno)[: node.col_offset])
    form = "([{}])" if is_argument else "[{}]"
    return _written(node, file, lambda text: form.format(text[1:-1].strip())) or IN_BRACKETS


def _written(node: Any, file: str, other: Callable[[str], str]) -> str:
    """Return the line of an expression with another one in its place, or `""` if that has more lines than one.

    Args:
        other: returns the other expression for the source of this one.
    """
    line = linecache.getline(file, node.lineno)
    if node.lineno != node.end_lineno or not line.isascii():  # columns count bytes
        return ""
    start, end = node.col_offset, node.end_col_offset
    after = re.sub(r"\s*(#.*)?$", "", line[end:])
    return f"write `{line[:start].lstrip()}{other(line[start:end])}{after}`"


def _line_of(node: Any, code: CodeType) -> tuple[str, int]:
    return code.co_filename, node.lineno


def _is_mask(index: ast.AST) -> bool:
    return any(isinstance(node, ast.Compare) for node in ast.walk(index))


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
    lines = (line.strip() for line in (said.partition(" cannot be compiled: ")[2] or said).splitlines())
    telling = (line for line in lines if line and not line.startswith(("Failed in", "During:", "File ", "-", "<", "^")))
    return next(telling, said).partition(" Raised from ")[0].rstrip(":."), "docs/plugins.md lists what compiles"


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


def _line_in_message(said: str, function: Callable[..., Any]) -> tuple[str, int] | None:
    """Return the first place in a message that lies in the author's code; numba may shorten the path.

    The first place belongs to the innermost function, before its callers.
    """
    files = {basename(code.co_filename): code.co_filename for code in codes(function)}
    for pattern in (r'File "([^"]+)", line (\d+)', r"((?:/|\w:)[^\s\"]+) \((\d+)\)"):
        for path, line in re.findall(pattern, said):
            file = files.get(basename(path))
            if file and "site-packages" not in path:
                return file, int(line)
    return None


def _line_of_global(said: str, function: Callable[..., Any]) -> tuple[str, int] | None:
    """Return the place that uses the global in a message, or None."""
    used = re.search(r"(?:it uses|name) '?([\w.]+)'?(?:, a| is not defined)", said)
    name = used.group(1).split(".")[0] if used else ""
    return _line_where(function, lambda one: bool(name) and one.argval == name and one.opname.startswith("LOAD_"))


def _line_of_instruction(said: str, function: Callable[..., Any]) -> tuple[str, int] | None:
    """Return the place of the construct in a message without a line, or None."""
    instruction_of = {"uses yield": "YIELD_VALUE", "'with (context": "BEFORE_WITH"}
    wanted = [instruction for words, instruction in instruction_of.items() if words in said]
    return _line_where(function, lambda one: one.opname in wanted)


def _line_where(function: Callable[..., Any], is_wanted: Callable[[dis.Instruction], bool]) -> tuple[str, int] | None:
    for code in codes(function):
        for instruction in dis.get_instructions(code):
            if is_wanted(instruction) and instruction.positions and instruction.positions.lineno:
                return code.co_filename, instruction.positions.lineno
    return None


def codes(function: Callable[..., Any]) -> Iterator[CodeType]:
    """Yield the code of a function, of nested functions, and of the functions of its module that it uses."""
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
