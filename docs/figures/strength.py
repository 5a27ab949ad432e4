"""Draw strength.svg and write the tables below it in docs/strength.md, both from strength.toml.

python docs/figures/strength.py
"""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

from searchlab.reports.chart import Axis, Chart, ReferenceLine, Series, linear_axis, log_axis
from searchlab.reports.svg import svg

HERE = Path(__file__).parent
DATA = HERE / "strength.toml"
PICTURE = HERE / "strength.svg"
PAGE = HERE.parent / "strength.md"
BEGIN, END = "<!-- by docs/figures/strength.py: begin -->\n", "<!-- by docs/figures/strength.py: end -->\n"
AREA = 0.5
"""Square pixels of a circle for each MB."""
STYLES = (0, 1, 2, 3, 4, 7, 6)
"""Colours and marks of the programs; 5 is too much like 0."""
NOTES = (
    "Area of a circle: memory of weights or tables; 8 MB is smaller than the mark.",
    "Filled: searchlab, with 95 % intervals. Outlined: published, on other machines.",
    "A dashed line joins settings of one program.",
)

Program = dict[str, Any]


def data() -> dict[str, list[Program]]:
    """Return the programs with their levels, and the goals."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def missing(program: Program) -> list[str]:
    """Return the quantities of a program that are not known at all, or not as one number."""
    known = {
        "speed": all("moves_per_second" in level for level in program["level"]),
        "size": "megabytes" in program,
    }
    return [name for name, is_known in known.items() if not is_known]


def chart(programs: list[Program]) -> Chart:
    """Return the picture: mean scores over moves a second, the levels of a program joined."""
    series, rules = [], []
    for style, program in zip(STYLES, (each for each in programs if not missing(each)), strict=True):
        levels = program["level"]
        xs = [float(level["moves_per_second"]) for level in levels]
        ys = [float(level["score"]) for level in levels]
        ours = program.get("ours", False)
        series.append(
            Series(
                program["label"],
                "points",
                style,
                tuple(xs),
                tuple(ys),
                tuple(f"{program['name']}, {level['name'].replace('`', '')}: {level['score']:,}" for level in levels),
                tuple(level.get("label", level["name"]) for level in levels),
                lows=tuple(level["score"] - level["plus_minus"] for level in levels) if ours else (),
                highs=tuple(level["score"] + level["plus_minus"] for level in levels) if ours else (),
                areas=(AREA * program["megabytes"],) * len(levels) if program["megabytes"] else (),
                hollow=not ours,
            )
        )
        rules += [ReferenceLine(x, y) for x, y in zip(pairwise(xs), pairwise(ys), strict=True)]
    title = "Mean score, speed and memory of players of 2048"
    return Chart("scatter", title, *axes(series), tuple(series), tuple(rules), notes=NOTES)


def axes(series: list[Series]) -> tuple[Axis, Axis]:
    """Return axes with space for the circles."""
    xs = [x for each in series for x in each.x if x]
    ys = [y for each in series for y in (*each.y, *each.lows, *each.highs) if y]
    x = log_axis([min(xs) / 3, max(xs) * 3], "moves a second")
    return x, linear_axis([min(ys) - 60_000, max(ys) + 140_000], "mean score", zero=False)


def tables(programs: list[Program], goals: list[Program]) -> str:
    """Return what the page shows below the picture, as Markdown."""
    absent = [
        f"{program['name'].split(',')[0]} ({' and '.join(missing(program))})"
        for program in programs
        if missing(program)
    ]
    return "\n".join(
        (
            f"Not in the picture, because it is not published as one number: {', '.join(absent)}.",
            "",
            "| program | search | mean score | 32768 | moves a second | memory | source | machine, date |",
            "| --- " * 8 + "|",
            *(row(program, level) for program in programs for level in program["level"]),
            "",
            "| goal | best of ours | reached | tried |",
            "| --- " * 4 + "|",
            *(goal_row(goal, programs) for goal in goals),
            "",
        )
    )


def row(program: Program, level: Program) -> str:
    """Return a row of the table of programs."""
    memory = program.get("memory") or (f"{program['megabytes']} MB" if "megabytes" in program else "")
    moves = level.get("moves") or (f"{level['moves_per_second']:,}" if "moves_per_second" in level else "")
    when = ", ".join(str(part) for part in (program.get("machine"), level.get("date", program["year"])) if part)
    cells = (program["name"], level["name"], score(level), level.get("share_32768", ""), moves, memory)
    return f"| {' | '.join((*cells, program['source'], when))} |"


def score(level: Program) -> str:
    """Return a mean score with its interval, if that was published."""
    return f"{level['score']:,}" + (f" ± {level['plus_minus']:,}" if "plus_minus" in level else "")


def best(goal: Program, programs: list[Program]) -> tuple[Program, Program]:
    """Return the strongest of our players that keeps the bounds of a goal, and its program."""
    kept = [
        (level, program)
        for program in programs
        for level in program["level"]
        if program.get("ours")
        and level["moves_per_second"] >= goal["moves_per_second"]
        and program["megabytes"] <= goal.get("megabytes", program["megabytes"])
        and level.get("plies") == goal.get("plies", level.get("plies"))
    ]
    return max(kept, key=lambda pair: pair[0]["score"])


def goal_row(goal: Program, programs: list[Program]) -> str:
    """Return a row of the table of goals; the lower end of the interval counts."""
    level, program = best(goal, programs)
    found = f"{score(level)} at {level['moves_per_second']:,}, {program['megabytes']} MB: {level['name']}"
    reached = "yes" if level["score"] - level["plus_minus"] >= goal["score"] else "no"
    return f"| {goal['text']} | {found} | {reached} | {goal['tried']} |"


def page(text: str) -> str:
    """Return a page with the tables of today between the two marks."""
    found = data()
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + "\n" + tables(found["program"], found["goal"]) + "\n" + END + rest.partition(END)[2]


def picture() -> str:
    """Return the picture as SVG."""
    return svg(chart(data()["program"]))


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
