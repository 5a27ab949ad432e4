"""The picture and the tables of docs/strength.md are those of their data, which have sources."""

import runpy
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import OUTSIDE, OVERLAPPING

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "figures" / "strength.py"))
PROGRAMS, GOALS = SCRIPT["data"]()["program"], SCRIPT["data"]()["goal"]
PICTURE = SCRIPT["PICTURE"].read_text(encoding="utf-8")
PAGE = SCRIPT["PAGE"].read_text(encoding="utf-8")


def test_the_picture_is_the_one_that_the_script_draws():
    assert SCRIPT["picture"]() == PICTURE
    assert f"](figures/{SCRIPT['PICTURE'].name})" in PAGE


def test_the_tables_are_those_that_the_script_writes():
    assert SCRIPT["page"](PAGE) == PAGE


def test_every_program_in_the_picture_is_in_the_tables_or_said_to_be_missing():
    titles = [title.text for title in ElementTree.fromstring(PICTURE).iter("{http://www.w3.org/2000/svg}title")]
    for program in PROGRAMS:
        shown = [any(title.startswith(f"{program['name']}, ") for title in titles)] * len(program["level"])
        assert shown == [not SCRIPT["missing"](program)] * len(program["level"]), program["name"]
        assert f"| {program['name']} |" in PAGE
    assert "TDL2048+ (speed), 2048EndgameTablebase (speed and size), Wu and others 2014 (speed and size)" in PAGE


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program["name"])
def test_every_figure_has_a_source(program):
    """Others' name a document and its year; ours stand in another table of the page, and have a machine and a date."""
    assert program["year"]
    if not program.get("ours"):
        assert "](https://" in program["source"] or program["source"].startswith("the paper, *")
        return
    before, _, rest = PAGE.partition(SCRIPT["BEGIN"])
    elsewhere = before + rest.partition(SCRIPT["END"])[2]
    assert program["machine"]
    for level in program["level"]:
        assert level["date"].year == program["year"]
        assert f"{level['score']:,}" in elsewhere
        assert f"± {level['plus_minus']:,}" in elsewhere
        assert f"{level['moves_per_second']:,}" in elsewhere


def test_a_goal_is_held_against_the_strongest_of_our_players_within_its_bounds():
    """Plies, speed and size bound it; the lower end of the interval has to reach the score."""

    def program(ours, megabytes, *levels):
        names = ("score", "plus_minus", "moves_per_second", "plies")
        found = [{"name": str(level), **dict(zip(names, level, strict=True))} for level in levels]
        return {"name": "p", "ours": ours, "megabytes": megabytes, "level": found}

    programs = [
        program(True, 9, (100, 10, 50, 1), (200, 10, 5, 2)),
        program(True, 90, (150, 30, 60, 1)),
        program(False, 9, (900, 1, 900, 1)),
    ]
    goal = {"text": "g", "tried": "t", "score": 90, "moves_per_second": 50}
    assert SCRIPT["best"](goal, programs)[0]["score"] == 150
    assert SCRIPT["best"]({**goal, "megabytes": 9}, programs)[0]["score"] == 100
    assert SCRIPT["best"]({**goal, "moves_per_second": 5}, programs)[0]["score"] == 200
    assert SCRIPT["best"]({**goal, "moves_per_second": 5, "plies": 1}, programs)[0]["score"] == 150
    assert "| yes | t |" in SCRIPT["goal_row"]({**goal, "megabytes": 9}, programs)
    assert "| no | t |" in SCRIPT["goal_row"]({**goal, "megabytes": 9, "score": 91}, programs)
    assert len(GOALS) == 3


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1200])
def test_in_a_browser_no_label_of_the_picture_lies_on_another(pages, tmp_path, width):
    file = tmp_path / "page.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>{PICTURE}")
    page = pages.open(file, width=width)
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(OVERLAPPING) == []
