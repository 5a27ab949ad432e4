"""What a message about a function that cannot be compiled means, and what to write instead."""

from __future__ import annotations

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
"""What numba, or the walk over what a function uses, says: a pattern; what it means; what to write instead."""
SPECIAL = {
    "setitem": ("values of different types in one container", "keep to one type: a NumPy array with the key as index"),
    "getitem": (
        "an index that does not fit",
        "index with as many whole numbers as there are dimensions: tiles[row, column]",
    ),
}
