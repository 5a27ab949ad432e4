"""Parts of the reference that are written from the program itself: nothing is missing, nothing is out of date.

A page contains one of the directives `public-names`, `hook-specifications`, `components` and `messages`.
Pages of the gallery have `whole-report`.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import searchlab
from searchlab.cli.plugins import description
from searchlab.plugins import hookspecs
from searchlab.plugins.registry import Plugins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
EXCEPTIONS = {
    "UsageError",
    "BoardError",
    "PluginError",
    "MachineError",
    "SearchlabError",
    "BadParameter",
    "ClickException",
}
"""The exceptions that end a command with a line."""
LEAST_WORDS = 3
"""A message with fewer words of its own is put together from other texts, which are found where they are written."""


class Generated(SphinxDirective):
    """A directive that is replaced by Markdown."""

    optional_arguments = 1

    def lines(self) -> Iterator[str]:
        """Yield the lines of Markdown."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Parse the lines as a part of the page, with their headings."""
        return self.parse_text_to_nodes("\n".join(self.lines()), allow_section_headings=True)


class PublicNames(Generated):
    """Describe the names of `searchlab.__all__` that come from the packages that are its arguments."""

    optional_arguments = 9

    def lines(self) -> Iterator[str]:
        """Yield a description of each name, functions first."""
        names = [name for name in searchlab.__all__ if package_of(name) in self.arguments]
        for name in sorted(names, key=lambda name: (name[0].isupper(), name)):
            yield f"## {name}\n"
            yield from reference_to(f"searchlab.{name}", getattr(searchlab, name))


class HookSpecifications(Generated):
    """Describe every hook."""

    def lines(self) -> Iterator[str]:
        """Yield a section for the hooks that return something, and one for those that are notified."""
        for title, names in (
            ("Hooks that return something", [name for name in hookspecs.HOOKS if name not in hookspecs.NOTIFICATIONS]),
            ("Hooks that are notified", hookspecs.NOTIFICATIONS),
        ):
            yield f"## {title}\n"
            for name in names:
                yield f"### {name}\n"
                yield from reference_to(f"searchlab.plugins.hookspecs.{name}", getattr(hookspecs, name))


class Components(Generated):
    """Describe the components of a kind that ship, from their declarations."""

    def lines(self) -> Iterator[str]:
        """Yield a section for each component."""
        for found in Plugins(third_party=False).all(self.arguments[0]):
            facts = description(found)
            yield f"## {facts['name']}\n"
            yield f"{sentence(facts['summary'])}\n"
            if facts["aliases"]:
                yield f"Also written {', '.join(f'`{alias}`' for alias in facts['aliases'])}.\n"
            if facts["description"]:
                yield f"{facts['description']}\n"
            yield from table(("parameter", "default", "values", ""), map(parameter_row, facts["parameters"]))
            properties = [(name, value) for name, value in facts["properties"].items() if value]
            yield from table(("property", ""), properties)


class Messages(Generated):
    """List the lines with which commands refuse something."""

    def lines(self) -> Iterator[str]:
        """Yield a list for each package."""
        for package in ("searchlab", "plugins"):
            for folder in sorted({path.parent for path in (ROOT / package).rglob("*.py")}):
                found = sorted({text for path in sorted(folder.glob("*.py")) for text in messages_of(path)})
                if found:
                    yield f"## {folder.relative_to(ROOT).as_posix().replace('/', '.')}\n"
                    yield from (
                        f"- `` {text} ``" for text in found
                    )  # as code, so that no quotation mark and no dash is changed
                    yield ""


class WholeReport(Generated):
    """Link the report of an experiment of the gallery if the site gets it, or say how to make it."""

    def lines(self) -> Iterator[str]:
        """Yield a paragraph."""
        self.env.note_reread()  # the report may have been made since
        report = Path("reports", f"{self.arguments[0]}.html")
        places = [Path(__file__).parent / folder / report for folder in self.config.html_extra_path]
        contents = "every run, plots to choose from, comparisons with tests, solutions and games to watch"
        if any(place.exists() for place in places):
            yield f'<a href="../../{report.as_posix()}">The whole report</a> has {contents}.'
        else:
            yield f"The last command writes the whole report as one page: {contents}."


def package_of(name: str) -> str:
    """Return the package below searchlab that a public name comes from."""
    return searchlab._HOME[name].partition(".")[0]  # there is no second list of where names come from


def reference_to(path: str, value: Any) -> Iterator[str]:
    """Yield the block with which autodoc describes a class, function or other value."""
    kind = (
        "class"
        if inspect.isclass(value)
        else "function"
        if callable(value)
        else "module"
        if inspect.ismodule(value)
        else "data"
    )
    yield "```{eval-rst}"
    yield f".. auto{kind}:: {path}"
    if kind in {"class", "module"}:
        yield "   :members:"
    yield "```\n"


def sentence(text: str) -> str:
    """Return a text as a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "." if text else ""


def parameter_row(parameter: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return name, default, values and summary of a parameter, as cells."""
    values = ", ".join(f"`{choice}`" for choice in parameter["choices"])
    if not values and parameter["low"] is not None:
        values = f"{parameter['low']} … {parameter['high']}, tuned" + (
            " on a logarithmic scale" if parameter["log"] else ""
        )
    default = "" if parameter["required"] else f"`{parameter['default']}`" if parameter["default"] != "" else "none"
    return f"`{parameter['name']}`", default, values, parameter["summary"]


def table(head: tuple[str, ...], rows: Any) -> Iterator[str]:
    """Yield a table of Markdown, nothing without rows."""
    rows = [[str(cell).replace("|", "\\|").replace("*", "\\*") for cell in row] for row in rows]
    if rows:
        yield f"| {' | '.join(head)} |"
        yield "| --- " * len(head) + "|"
        yield from (f"| {' | '.join(row)} |" for row in rows)
        yield ""


def messages_of(path: Path) -> Iterator[str]:
    """Yield the texts with which the module of a file refuses something, with … in place of what differs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if (
            isinstance(function, ast.Call)
            and getattr(function.func, "id", getattr(function.func, "attr", "")) in EXCEPTIONS
        ):
            for argument in function.args[:1]:
                text = re.sub(r"\s+", " ", template(argument)).strip()
                if len(re.findall(r"[a-z]+", text)) >= LEAST_WORDS:
                    yield text


def template(expression: ast.expr) -> str:
    """Return the text of an expression, with … for each part that is known only when the program runs."""
    match expression:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(template, parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return template(left) + template(right)
    return "…"


def as_restructured_text(_app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Prepare our docstrings for Sphinx: plain text with code between backticks, in sections as Google writes them.

    Marks of reStructuredText are escaped outside code. Further lines under `Returns` are indented like the first;
    Sphinx would take them for definitions otherwise.
    """
    section = ""
    kept: list[str] = []
    for line in lines:
        if re.fullmatch(r"\s*(Args|Attributes|Returns|Yields):", line):
            section = line
        elif line.strip() and section and indent(line) <= indent(section):
            section = ""
        if section.strip() in {"Returns:", "Yields:"} and indent(line) > indent(section) + 4:
            line = " " * (indent(section) + 4) + line.lstrip()
        kept.append(line if line.lstrip().startswith((">>>", "...")) else escaped(line))
    lines[:] = kept


def separate_blocks(_app: Sphinx, doctree: nodes.document) -> None:
    """Place lists and further paragraphs of an argument's description after the first paragraph.

    Sphinx puts them into this paragraph, which is invalid HTML.
    """
    for content in list(doctree.findall(nodes.inline)):
        blocks = [child for child in content if isinstance(child, nodes.paragraph | nodes.bullet_list)]
        if not blocks:
            continue
        for block in blocks:
            content.remove(block)
        if isinstance(blocks[0], nodes.paragraph):
            content.extend(blocks.pop(0).children)
        paragraph = content.parent
        paragraph.parent.insert(paragraph.parent.index(paragraph) + 1, blocks)


def indent(line: str) -> int:
    """Return the number of spaces before a line."""
    return len(line) - len(line.lstrip())


def escaped(line: str) -> str:
    """Return a line with its marks of reStructuredText escaped, outside code."""
    parts = re.split(r"(`[^`]*`)", line)
    parts[::2] = [re.sub(r"([*|_])(?=\W|$)|(?<!\w)([*|_])", r"\\\1\2", part) for part in parts[::2]]
    return "".join(parts)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("public-names", PublicNames)
    app.add_directive("hook-specifications", HookSpecifications)
    app.add_directive("components", Components)
    app.add_directive("messages", Messages)
    app.add_directive("whole-report", WholeReport)
    app.connect("autodoc-process-docstring", as_restructured_text, priority=100)
    app.connect("doctree-read", separate_blocks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
