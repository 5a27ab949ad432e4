"""The layers of the house: no module imports from a higher layer, not even for a type."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LAYERS = (
    *("errors", "files", "board", "model", "binding", "plugins", "compiler", "search", "games"),
    *("experiments", "reports", "testing", "cli"),
)
"""The packages and modules right below `searchlab`, the lowest first; see docs/architecture.md."""
FACE = ("searchlab", "searchlab.__main__")
"""They import from everywhere, and nobody imports them for what lies in a module."""


@cache
def modules():
    """Return the file of each module, by its name."""
    found = {}
    for path in (ROOT / "searchlab").rglob("*.py"):
        found[".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")] = path
    return found


@cache
def imports():
    """Return the modules that each module imports anywhere, for types and inside functions too."""
    return {
        name: set(imported(ast.parse(path.read_text(encoding="utf-8")))) - {name} for name, path in modules().items()
    }


def imported(tree):
    """Yield the modules of searchlab that some code imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                within = f"{node.module}.{alias.name}"
                if within in modules():
                    yield within
                elif node.module in modules():
                    yield node.module


def layer(module):
    """Return the number of a module's layer, 0 for the lowest; None for one that lies in none."""
    name = module.split(".")[1]
    return LAYERS.index(name) if name in LAYERS else None


def violations():
    """Return the imports from a higher layer, and those of and by modules that lie in none."""
    found = set()
    for module, used in imports().items():
        for other in used - set(FACE):
            if module in FACE:
                continue
            here, there = layer(module), layer(other)
            if here is None or there is None or there > here:
                found.add(f"{module} > {other}".replace("searchlab.", ""))
    return found


def test_no_layer_imports_from_a_higher_one():
    """Imports for types and inside functions count."""
    assert sorted(violations()) == []


def circles():
    """Return the circles in the graph of imports, each as a sorted list of the modules in it."""
    graph = {name: used - set(FACE) for name, used in imports().items() if name not in FACE}
    index, low, stack, found = {}, {}, [], []

    def visit(module):
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in graph[module]:
            if other not in index:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == index[module]:
            circle = [stack.pop()]
            while circle[-1] != module:
                circle.append(stack.pop())
            if len(circle) > 1:
                found.append(sorted(name.removeprefix("searchlab.") for name in circle))

    for module in graph:
        if module not in index:
            visit(module)
    return sorted(found)


def test_imports_have_no_circles():
    """Imports for types count."""
    assert circles() == []
