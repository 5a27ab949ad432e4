"""A report in a real browser: content, clicks, keys and address; it needs no network."""

import base64
import csv
import io
import json
import re
import zlib
from dataclasses import replace

import html5lib
import pytest
from browser import READABLE, contrast, wait_for

import searchlab as sl
from searchlab.experiments.comparison import compare
from searchlab.experiments.runs import GAMES
from searchlab.experiments.store import Store
from searchlab.plugins.registry import installed
from searchlab.reports import report as report_module
from searchlab.reports.columnar import column_data, packed
from searchlab.reports.report import ReportedExperiment, load_experiment, report_page

HOSTILE = '"><img src=http://example.org onerror=alert(1)></script><script>alert("x")</script>'
TOGETHER = '<section id="together">'
BOARDS = [f"sliding-tile/puzzle8-{length}" for length in (20, 21, 22, 24)]


def runs_of(path):
    """Return the runs of an experiment in the order of their numbers, as a report shows them."""
    return sl.load_results(path).sort_values("run", ignore_index=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def searches(folder):
    """An experiment of sixteen searches, four of which reach the limit of expansions."""
    experiment = sl.Experiment(
        name="puzzles",
        boards=BOARDS,
        heuristics=["taxicab", "misplaced"],
        frontiers=["astar", "greedy"],
        limits=sl.Limits(expansions=1000),
    )
    sl.run(experiment, folder=folder / "puzzles", workers=1)
    return folder / "puzzles"


@pytest.fixture(scope="module")
def games(folder):
    """An experiment of eight short games."""
    experiment = sl.Experiment(players=["greedy", "random"], domains=["2048-random"], seeds=range(1, 5), most_moves=60)
    sl.run(experiment, folder=folder / "games", workers=1)
    return folder / "games"


@pytest.fixture(scope="module")
def page_of(folder):
    """A function that writes a report of experiments, and returns the file."""

    def write(*experiments, players="first", name="report"):
        path = folder / f"{name}.html"
        path.write_text(report_page([load_experiment(each, installed(), players) for each in experiments]), "utf-8")
        return path

    return write


@pytest.fixture(scope="module")
def report(page_of, searches):
    """The report of the searches."""
    return page_of(searches)


def opened(pages, path, **settings):
    """The page of a report once its runs are there."""
    page = pages.open(path, **settings)
    until_runs_are_there(page)
    return page


def until_runs_are_there(page):
    page.locator("[data-part=runs]").first.scroll_into_view_if_needed()
    wait_for(page, "!document.querySelector('[data-part=table-choices]').hidden")


def rows(page):
    """The cells of the table of runs, without those of a run that is shown in full."""
    lines = page.locator(".runs tbody tr:not(.detail)").all_inner_texts()
    return [line.split("\t") for line in lines]


def column(page, name):
    names = [each.strip(" ↑↓") for each in page.locator(".runs th").all_inner_texts()]
    return [row[names.index(name)] for row in rows(page)]


def address(page):
    return page.evaluate("decodeURIComponent(location.hash)")


@pytest.mark.slow
def test_the_overview_has_the_experiment_and_its_command(pages, report, searches):
    """With coverage and means of each configuration, and two plots."""
    text = pages.open(report).locator("#overview-0").inner_text()
    for said in (str(searches), f"searchlab run {searches}/experiment.json --output FOLDER", "machine", "searchlab="):
        assert said in text
    overview = pages.open(report).locator("#overview-0")
    assert [cell.split("\t")[:4] for cell in overview.locator("tbody tr").all_inner_texts()[:2]] == [
        ["misplaced", "astar", "4", "0"],
        ["misplaced", "greedy", "4", "4"],
    ]
    assert overview.locator("svg.searchlab-chart").count() == 2
    assert "median" not in overview.inner_text()  # nor in a note


@pytest.mark.slow
def test_runs_are_sorted_by_a_click(pages, report):
    """Upwards, downwards, and as they were."""
    page = opened(pages, report)
    table = runs_of(report.parent / "puzzles")
    as_done = [f"{number:,}" for number in table["expanded"]]
    assert column(page, "expanded") == as_done
    for order, wanted in ((1, sorted(table["expanded"])), (2, sorted(table["expanded"], reverse=True)), (3, None)):
        page.click("[data-sort=expanded]")
        assert column(page, "expanded") == ([f"{number:,}" for number in wanted] if wanted else as_done), order
    page.click("[data-sort=board_name]")
    assert column(page, "board_name") == sorted(table["board_name"])
    assert page.locator("th[aria-sort]").inner_text().startswith("board_name")
    assert address(page) == "#sort=board_name"


FILTERS = {
    "taxicab": lambda run: run["heuristic"] == "taxicab",
    "status=solved expanded>=50": lambda run: run["status"] == "solved" and run["expanded"] >= 50,
    "frontier!=greedy": lambda run: run["frontier"] != "greedy",
    "cost=": lambda run: run["status"] != "solved",
    "board_name~puzzle8-20|puzzle8-24": lambda run: run["board_name"][-2:] in ("20", "24"),
    "optimal=yes": lambda run: run["optimal"],
}
"""What a person types, and which runs it means."""


@pytest.mark.slow
def test_runs_are_filtered_by_conditions_and_words(pages, report):
    """The address keeps the filter."""
    table = runs_of(report.parent / "puzzles").reset_index(drop=True)
    page = opened(pages, report)
    for text, fits in FILTERS.items():
        page.fill("[data-part=filter]", text)
        wanted = [str(run["run"]) for _, run in table.iterrows() if fits(run)]
        assert 0 < len(wanted) < len(table), text
        assert column(page, "run") == wanted, text
        assert page.locator("[data-part=count]").inner_text() == f"{len(wanted)} of 16 runs"
        page.reload()
        until_runs_are_there(page)
        assert column(page, "run") == wanted, text


@pytest.mark.slow
def test_an_invalid_filter_is_an_error_and_shows_all_runs(pages, report):
    page = opened(pages, report)
    for text, said in (
        ("nothing=1", "there is no column nothing"),
        ("expanded=many", "expanded is a number, not many"),
        ("expanded~4", "~ is for text, and expanded is not a column of text"),
    ):
        page.fill("[data-part=filter]", text)
        assert page.locator("[data-part=count]").inner_text() == said
        assert len(rows(page)) == 16
    page.fill("[data-part=filter]", "no-such-thing")
    assert rows(page) == []


def test_filtered_rows_are_copied_as_csv(pages, report):
    """In the order and with the columns that are shown."""
    page = opened(pages, report, permissions=["clipboard-read", "clipboard-write"])
    page.fill("[data-part=filter]", "taxicab status=solved")
    page.click("[data-sort=cost]")
    page.click("text=columns")
    page.uncheck("[data-part=columns] [value=seconds]")
    page.check("[data-part=columns] [value=finished]")
    page.click("[data-part=copy]")
    wait_for(page, "document.querySelector('[data-part=count]').textContent.endsWith('copied')")
    copied = list(csv.DictReader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))
    table = runs_of(report.parent / "puzzles")
    wanted = table[(table["heuristic"] == "taxicab") & (table["status"] == "solved")].sort_values("cost", kind="stable")
    assert [float(row["cost"]) for row in copied] == wanted["cost"].tolist()
    assert [int(row["expanded"]) for row in copied] == wanted["expanded"].tolist()
    assert "seconds" not in copied[0]
    assert copied[0]["finished"] == f"{wanted['finished'].iloc[0].round('s'):%Y-%m-%dT%H:%M:%SZ}"
    with page.expect_download() as saved:
        page.click("[data-part=save]")
    assert saved.value.suggested_filename == "runs.csv"


def test_a_run_is_shown_in_full(pages, report, searches, capsys):
    """With its board, and a command that views it."""
    page = opened(pages, report)
    table = runs_of(searches)
    number = int(table["run"][table["status"] == "solved"].iloc[2])
    page.click(f"[data-run='{number}']")
    shown = page.locator(".detail .run")
    run = table.iloc[number - 1]
    assert page.evaluate("location.hash") == f"#run={number}"
    assert shown.locator("svg.board").get_attribute("aria-label") == run["board"].replace(" /", "").replace(
        "0", "blank"
    )
    assert f"peak_bytes\n{run['peak_bytes']:,}" in shown.inner_text()
    command = shown.locator("code").inner_text()
    assert command.startswith(f"searchlab view {searches} ")
    page.click(f"[data-run='{number}']")
    assert page.locator(".run").last.is_hidden()
    from searchlab.cli import main

    assert main([*command.split()[1:], "--output", str(searches / "view.html")]) == 0
    assert f"solved in {run['moves']} moves" in capsys.readouterr().out


@pytest.mark.slow
def test_plots_are_drawn_for_any_pair_and_metric(pages, report):
    """Unsolved runs stand on the marked borders; the table behind has the same numbers."""
    page = opened(pages, report)
    scatter = page.locator("[data-plot=scatter]")
    scatter.locator("[data-choice=x]").select_option("taxicab/astar")
    scatter.locator("[data-choice=y]").select_option("misplaced/astar")
    assert scatter.locator("circle").count() == 4
    assert scatter.locator("circle[fill=none]").count() == 4
    assert "unsolved: taxicab/astar 0, misplaced/astar 4" in scatter.inner_text()
    scatter.locator("[data-choice=y]").select_option("taxicab/greedy")
    scatter.locator("[data-choice=metric]").select_option("cost")
    assert scatter.locator("circle[fill=none]").count() == 0
    scatter.locator("summary").click()
    table = runs_of(report.parent / "puzzles").set_index(["board_name", "frontier", "heuristic"])["cost"]
    behind = [line.split("\t") for line in scatter.locator("tbody tr").all_inner_texts()]
    wanted = {(b, str(int(table[b, "astar", "taxicab"])), str(int(table[b, "greedy", "taxicab"]))) for b in BOARDS}
    assert {tuple(row) for row in behind} == wanted
    chosen = "#scatter-x=taxicab/astar&scatter-y=taxicab/greedy&scatter-metric=cost"
    assert address(page) == chosen
    again = opened(pages, report, fragment=page.evaluate("location.hash.slice(1)"))
    assert again.locator("[data-plot=scatter] [data-choice=metric]").input_value() == "cost"
    cactus = page.locator("[data-plot=cactus]")
    cactus.locator("[data-choice=metric]").select_option("expanded")
    assert "runs solved over nodes expanded" in cactus.inner_text()
    assert "misplaced/astar (0)" in cactus.inner_text()


@pytest.mark.slow
def test_a_proof_of_unsolvability_does_not_count_as_solved(pages, page_of, make_record, make_results):
    """It makes no step in a cactus plot, on the page as without its script."""
    proofs = [(1, "solved"), (2, "unsolvable")]
    records = [make_record(board, h, status=status) for board, status in proofs for h in ("taxicab", "misplaced")]
    page = opened(pages, page_of(make_results(records), name="proofs"))
    cactus = page.locator("[data-plot=cactus]")
    for metric in ("seconds", "expanded"):
        cactus.locator("[data-choice=metric]").select_option(metric)
        assert "taxicab (1)" in cactus.inner_text()


def test_a_point_names_its_runs_and_links_to_them(pages, report):
    page = opened(pages, report)
    point = page.locator("[data-plot=scatter] circle").first
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 3)
    assert re.search(
        r"puzzle8-2\d: misplaced/astar unsolved, misplaced/greedy \d+", page.locator(".pick").last.inner_text()
    )
    page.mouse.click(box["x"] + 5, box["y"] + 3)
    assert re.match("#run=[0-9]+$", address(page))


@pytest.mark.slow
def test_a_solution_is_watched(pages, report, searches):
    """By buttons and keys; the address has the run and the move."""
    page = opened(pages, report)
    watched = page.locator("[data-watch]")
    table = runs_of(searches).reset_index(drop=True)
    first_solved = table[table["status"] == "solved"].groupby(["heuristic", "frontier"]).head(1)
    assert {int(each.get_attribute("data-watch")) - 1 for each in watched.all()} == {*first_solved.index}
    run = int(watched.first.get_attribute("data-watch"))
    watched.first.click()
    wait_for(page, "document.getElementById('position')")
    panel = page.locator("[data-part=player]")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator("#status").inner_text().startswith(f"3 of {table['moves'][run - 1]}: ")
    assert address(page) == f"#watch=0.{run}&move=3"
    page.keyboard.press("End")
    assert page.locator("#position").input_value() == str(table["moves"][run - 1])
    again = opened(pages, report, fragment=f"watch=0.{run}&move=5")
    wait_for(again, "document.getElementById('position')?.value === '5'")
    watched.last.click()
    wait_for(page, f"!document.querySelector('[data-part=player]').textContent.includes('Run {run}:')")
    assert panel.locator("svg.board").count() == 1
    page.locator("[data-part=filter]").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#position").input_value() == "0"


def test_failures_have_their_reasons(pages, report, searches):
    """And the command that lists them."""
    page = pages.open(report)
    failures = page.locator("#failures-0 tbody tr").all_inner_texts()
    assert [line.split("\t")[:2] for line in failures] == [["expansion-limit", "4"]]
    assert failures[0].endswith(f"searchlab results {searches} --where status=expansion-limit")


def test_configurations_are_compared_in_pairs(pages, report, searches):
    """By the tests of `searchlab compare`."""
    comparison = pages.open(report).locator("#comparison-0")
    lines = [line.split("\t") for line in comparison.locator("details[open] tbody tr").all_inner_texts()]
    assert len(lines) == 6
    line = next(line for line in lines if line[:2] == ["taxicab/astar", "taxicab/greedy"])
    found = compare(runs_of(searches), "taxicab/astar", "taxicab/greedy").measures[0]
    assert line[3] == str(found.pairs)
    assert line[8] == f"{found.ratio:.3g}"


@pytest.mark.slow
def test_of_many_configurations_the_base_of_the_comparison_is_chosen(pages, page_of, make_record, make_results):
    """Each is compared with it, as `searchlab compare` does; the choice is in the address, and narrow it scrolls."""
    heuristics = [f"max:of=[taxicab,misplaced],n={number}" for number in range(7)]
    records = [
        make_record(board, name, expanded=(place + 2) * 2**board)
        for board in range(6)
        for place, name in enumerate(heuristics)
    ]
    path = page_of(make_results(records), name="many")
    page = pages.open(path, width=390)
    assert page.locator("#overview-0 svg.searchlab-chart").count() == 1  # all ended alike
    assert (
        page.evaluate("document.querySelector('#overview-0 svg.searchlab-chart').getBoundingClientRect().width") >= 560
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert "<br>" in page.locator("#pivots-0 details[open] th").nth(1).inner_html()
    page.locator("[data-part=base]").select_option("3")
    assert address(page) == "#base=3"
    shown = page.locator("#comparison-0 details[open] tbody tr:visible").all_inner_texts()
    cells = [line.replace("\n", "").split("\t") for line in shown]
    assert [(a.partition("/")[0], b.partition("/")[0]) for a, b, *_ in cells] == [
        (heuristics[3], name) for name in heuristics if name != heuristics[3]
    ]
    assert [line[8] for line in cells] == ["2.50", "1.67", "1.25", "0.833", "0.714", "0.625"]
    assert [line[6:8] for line in cells[2:4]] == [["0", "6"], ["6", "0"]]


def test_configurations_of_different_boards_are_counted_in_one_line(page_of, make_record, make_results):
    """Not a line for each pair: with three domains there are many."""
    heuristics = ["taxicab", "misplaced"]
    frontiers = ["astar", "greedy"]
    records = [
        make_record(10 * place + number, heuristic, frontier)
        for place, heuristic in enumerate(heuristics)
        for frontier in frontiers
        for number in range(3)
    ]
    page = page_of(make_results(records), name="apart").read_text("utf-8")
    assert "4 of 6 pairs of configurations are not compared: they have no board in common" in page
    assert "can be paired" not in page


def test_without_javascript_overview_plots_and_runs_are_shown(pages, report):
    """Overview, plots of the first pair, all runs; nothing that does nothing."""
    page = pages.open(report, java_script_enabled=False)
    assert page.locator("svg.searchlab-chart").count() == 4
    assert len(page.locator("[data-part=rows] tbody tr").all_inner_texts()) == 16
    assert [button for button in page.locator("button, select, input").all() if button.is_visible()] == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_enough_contrast(pages, report, scheme):
    """In both colour schemes, on a page as wide as a phone."""
    page = opened(pages, report, color_scheme=scheme, width=390, fragment="run=3")
    colours = {(colour, behind) for _, colour, behind in page.evaluate(READABLE)}
    assert len(colours) > 1
    assert min(contrast(*pair) for pair in colours) >= 4.5
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_colours_are_changed_by_a_button_and_printing_is_on_white(pages, report):
    """Charts follow; what cannot be clicked on paper is not printed."""
    page = opened(pages, report, color_scheme="light")
    ink = "getComputedStyle(document.querySelector('.searchlab-chart .ink')).fill"
    light = page.evaluate(ink)
    page.click("#theme")
    assert page.evaluate(ink) != light
    assert page.pdf()[:4] == b"%PDF"
    page.emulate_media(media="print")
    assert page.locator("[data-part=table-choices]").is_hidden()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(ink) == light
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(ink) != light


@pytest.mark.slow
def test_games_have_scores_and_the_best_and_the_worst_are_watched(pages, page_of, games):
    """No game is solved, so there is no cactus."""
    page = opened(pages, page_of(games, name="games"))
    assert page.locator("[data-plot]").evaluate_all("all => all.map((each) => each.dataset.plot)") == ["scatter"]
    scores = runs_of(games)["score"].reset_index(drop=True)
    watched = [
        int(run) - 1 for run in page.locator("[data-watch]").evaluate_all("all => all.map((e) => e.dataset.watch)")
    ]
    assert {scores[place] for place in watched} == {scores.max(), scores.min()}
    page.locator("[data-watch]").first.click()
    wait_for(page, "document.getElementById('position')")
    page.keyboard.press("End")
    assert page.locator("#value-0").inner_text() == f"{scores[watched[0]]:,.0f}"


@pytest.mark.slow
def test_several_experiments_have_one_report(pages, page_of, searches, games):
    """Each has tables and an address."""
    page = opened(pages, page_of(searches, games, name="both"))
    second = page.locator("#experiment-1")
    second.locator("[data-part=runs]").scroll_into_view_if_needed()
    wait_for(page, "!document.querySelectorAll('[data-part=table-choices]')[1].hidden")
    second.locator("[data-part=filter]").fill("player=random")
    assert second.locator("[data-part=count]").inner_text() == "4 of 8 runs"
    assert page.locator("#experiment-0 [data-part=count]").inner_text() == "16 runs"
    assert address(page) == "#1.filter=player=random"


def test_several_experiments_of_a_kind_have_a_table_together(searches, games):
    """Over the boards that all of their configurations solved; experiments of one name are told apart by folder."""
    loaded = [load_experiment(each, installed(), "none") for each in (searches, games)]
    assert TOGETHER not in report_page(loaded)
    few = loaded[0].table["board_name"].isin(BOARDS[:2])
    half = replace(loaded[0], path="half", table=loaded[0].table[few])
    other = replace(loaded[0], path="other", name="other", table=loaded[0].table.assign(host="far"))
    text = report_page([*loaded, half, other])
    part = text[text.index(TOGETHER) : text.index("<article")]
    cells = re.findall(r"<td>([^<\n]*)", part)
    groups = {*loaded[0].table.groupby(["heuristic", "frontier"]).groups}
    assert cells.count("other") == len(groups)
    assert cells.count(str(searches)) == cells.count("half") == len(groups)
    assert re.search(r"over the 2 boards that all \d+ other groups solved", part)
    assert "Games" not in part
    assert "times come from 2 machines" in part


@pytest.mark.slow
def test_markup_in_names_and_reasons_is_escaped(pages, folder, searches):
    """Markup, quotes and 10,000 characters are text."""
    table = runs_of(searches).reset_index(drop=True)
    table["board_name"] = [HOSTILE if place % 2 else "<script>" for place in range(16)]
    table["heuristic"] = table["heuristic"].replace({"taxicab": HOSTILE})
    table["reason"] = table["reason"].astype("string")
    table.loc[0, ["status", "reason"]] = ["error", "x" * 10_000 + HOSTILE]
    table["metric</script>"] = range(16)
    path = folder / "evil.html"
    path.write_text(report_page([ReportedExperiment(HOSTILE, HOSTILE, table, (("about", HOSTILE),), HOSTILE)]), "utf-8")
    page = opened(pages, path, fragment="run=1", width=390)
    assert page.locator("img").count() == 0
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert column(page, "board_name")[:2] == ["<script>", HOSTILE]
    assert page.locator("#failures-0").inner_text().count("x" * 10_000) == 1
    shown = page.locator("[data-part=run] code").inner_text()
    assert shown.startswith("searchlab results ")  # there is no solution to view
    assert shown.endswith(" --run 1")
    html5lib.HTMLParser(strict=True).parse(path.read_text("utf-8"))
    static = pages.open(path, java_script_enabled=False).locator("[data-part=rows]").inner_text()
    assert f"{'x' * 199}…" in static  # the failures have it whole
    assert "x" * 200 not in static


@pytest.mark.slow
def test_published_figures_have_a_section_and_a_faulty_file_is_a_remark(folder, make_record, make_results):
    """The figures of papers stand beside those of the runs, with their sources."""
    place = folder / "published"
    place.mkdir()
    (place / "1.txt").write_text("2\n1 2\n3 0\n")
    source = '[[table]]\nauthors = ["A. Bee"]\nyear = 1999\nvenue = "On <b>puzzles"\ndomain = "sliding-tile"\n'
    row = '{ name = "A*", frontier = "astar", expanded = 14 }'
    (place / "published.toml").write_text(f'{source}heuristic = "taxicab"\nrows = [{row}]\n')
    record = make_record(1)
    named = replace(record, run=replace(record.run, instance=replace(record.run.instance, name=str(place / "1.txt"))))
    results = make_results([named])
    page = report_page([load_experiment(results, installed(), "none")])
    assert "<h3>Published figures</h3>" in page
    assert "A. Bee: On &lt;b&gt;puzzles (1999)" in page
    (place / "published.toml").write_text("[[table")
    (remark,) = load_experiment(results, installed(), "none").remarks
    assert remark.startswith(str(place / "published.toml"))


def test_plugins_add_sections_and_a_broken_one_is_reported(pages, folder, searches):
    """Text, a table and a picture, whatever they hold, on a page that is still valid."""
    (folder / "adds.py").write_text(
        f"""import pandas as pd
from searchlab import ReportSection, hookimpl

class Odd:
    def __str__(self):
        raise RuntimeError("not today")

@hookimpl
def searchlab_report_sections(results):
    results["status"] = "nonsense"
    yield ReportSection("More <b>", "one\\n\\n{HOSTILE!r}", pd.DataFrame({{"a": [1, 2]}}),
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>", "a square")
    if len(results) == 1:
        yield ReportSection("odd", table=pd.DataFrame({{"a": [Odd()]}}, dtype=object))
""".replace(repr(HOSTILE), HOSTILE.replace('"', "'"))
    )
    (folder / "fails.py").write_text(
        "from searchlab import hookimpl\n\n"
        "@hookimpl\ndef searchlab_report_sections(results):\n    raise SystemExit(3)\n"
    )
    plugins = sl.Plugins(files=[folder / "adds.py", folder / "fails.py"])
    experiment = load_experiment(searches, plugins, "none")
    assert [section.title for section in experiment.sections] == ["More <b>"]
    assert len(experiment.remarks) == 1
    assert "searchlab_report_sections failed: SystemExit: 3" in experiment.remarks[0]
    path = folder / "added.html"
    path.write_text(report_page([experiment]), "utf-8")
    html5lib.HTMLParser(strict=True).parse(path.read_text("utf-8"))
    page = pages.open(path)
    added = page.locator("#sections-0")
    assert "More <b>" in added.inner_text()
    assert added.locator("p").count() == 2
    assert added.locator("tbody tr").count() == 2
    assert page.evaluate("document.querySelector('img').naturalWidth") == 9
    assert "SystemExit: 3" in page.locator("#overview-0").inner_text()
    assert "nonsense" not in page.inner_text("body")


CURVE = """\
games,mean_moves,mean_score,best_score,reached_512,reached_1024,cpu_seconds
1000,700.5,11983.51,47088,0.871,0.578,1.923
2000,1096.1,19481.40,59628,0.986,0.004,2.882
"""


def test_a_training_is_shown_by_its_curves(folder):
    """Alone it has no runs; of a player with a network it learned, the report of its games shows them, too."""
    (folder / "net").mkdir()
    (folder / "net" / "curve.csv").write_text(CURVE)
    training = load_experiment(folder / "net", installed(), "first")
    page = report_page([training])
    assert "learned from 2,000 games" in page
    assert "59,628" in page
    assert 'id="learning-0"' in page
    assert 'id="runs-0"' not in page
    assert page.count("% of games with tile") == 2  # the axis, and the table behind it
    html5lib.HTMLParser(strict=True).parse(page)


def test_games_show_how_the_networks_that_played_were_learned(folder, make_game, tmp_path):
    """Where their curves are beside them; of several, the mean scores in one picture."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "curve.csv").write_text(CURVE)
    one, two, gone = (f"ntuple:file={tmp_path / name}/network.npz" for name in ("one", "two", "gone"))
    players = ["greedy", one, f"expectimax:heuristic=[{two}],depth=1", gone]
    with Store(tmp_path / "games", writes=True, kind=GAMES) as store:
        store.add([make_game(player, seed) for player in players for seed in (1, 2)])
    experiment = load_experiment(tmp_path / "games", installed(), "none")
    assert [name for name, _ in experiment.courses] == players[1:3]
    page = report_page([experiment])
    assert 'id="learning-0"' in page
    assert "tiles reached" in page


def test_games_have_standings(pages, page_of, games):
    """The best player first, and how often each reached which tile."""
    page = pages.open(page_of(games, name="standings"))
    lines = page.locator("#standings-0 tbody").first.locator("tr").all_inner_texts()
    assert [line.split("\t")[1] for line in lines] == ["greedy", "random"]
    assert "reached_" in page.locator("#standings-0").inner_text()


def test_boards_and_configurations_have_a_table_that_marks_the_best(pages, report, searches):
    """A row per board; unsolved cells show the status."""
    page = pages.open(report)
    pivot = page.locator("#pivots-0 details[open]")
    table = sl.load_results(searches).set_index(["board_name", "heuristic", "frontier"])
    line = next(each for each in pivot.locator("tbody tr").all() if "puzzle8-24" in each.inner_text())
    cells = line.inner_text().split("\t")[1:]
    assert cells[0] == "expansion-limit"
    runs = table.loc["sliding-tile/puzzle8-24"]
    assert cells[2] == f"{runs['expanded']['taxicab', 'astar']:,}"
    best = runs[runs["status"] == "solved"]["expanded"].min()
    assert line.locator(".best").all_inner_texts() == [f"{best:,}"]


@pytest.mark.slow
def test_pages_are_valid_html_without_external_addresses(page_of, searches, games):
    text = page_of(searches, games, name="valid").read_text("utf-8")
    html5lib.HTMLParser(strict=True).parse(text)
    assert set(re.findall(r"https?://[^\s\"'<>]+", text)) == {"http://www.w3.org/2000/svg"}


def test_an_experiment_without_runs_or_solutions_has_a_report(pages, folder, searches):
    """Charts that cannot be drawn give the reason."""
    table = runs_of(searches)
    path = folder / "little.html"
    nothing = table[table["status"] != "solved"].reset_index(drop=True)
    parts = [
        ReportedExperiment("none", "none", table[:0]),
        ReportedExperiment("one", "one", table[:1]),
        ReportedExperiment("lost", "lost", nothing),
    ]
    path.write_text(report_page(parts), "utf-8")
    page = pages.open(path)
    assert "no runs yet" in page.locator("#experiment-0").inner_text()
    assert page.locator("#comparison-1").count() == 0
    assert "no run was solved, so there is nothing to draw" in page.locator("#experiment-2").inner_text()


@pytest.mark.slow
def test_two_thousand_runs_are_small(searches):
    """Without players at most 400 KB; runs differ as real ones do."""
    import numpy as np
    import pandas as pd

    table = pd.concat([runs_of(searches)] * 125, ignore_index=True)
    random = np.random.default_rng(1)
    for name in ("expanded", "generated", "evaluated", "stored", "max_open", "peak_bytes"):
        table[name] = random.integers(1, 1_000_000, len(table))
    for name in ("seconds", "cpu_seconds"):
        table[name] = random.random(len(table))
    table["board_name"] = [f"boards/board{place // 4}" for place in range(len(table))]
    table["board"] = [" ".join(map(str, random.permutation(9))) for _ in range(len(table))]
    page = report_page([ReportedExperiment("large", "large", table)])
    assert len(page.encode()) <= 400_000


def test_of_very_many_runs_those_of_the_first_boards_are_listed(make_record, make_results, monkeypatch):
    """What is computed for the page is over all of them."""
    records = [make_record(board, name, expanded=board) for board in range(1, 6) for name in ("taxicab", "misplaced")]
    many = make_results(records)
    whole = report_page([load_experiment(many, installed(), "none")])
    monkeypatch.setattr(report_module, "MOST_IN_SCRIPT", 5)
    page = report_page([load_experiment(many, installed(), "none")])
    remark = "have the 4 runs of the first 2 boards (of 5); everything else is over all 10 runs"
    assert remark in page
    assert remark not in whole
    data = [re.search(r'data-part="data">([^<]+)<', each)[1] for each in (whole, page)]
    assert [json.loads(zlib.decompress(base64.b64decode(each)))["rows"] for each in data] == [10, 4]
    assert page.count("10 runs") == whole.count("10 runs") + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "dtype", "kind"),
    [
        ([1, 2, None], "Int64", "number"),
        ([0.5, float("inf"), None], "float64", "number"),
        ([2**60, 1], "int64", "text"),
        (["a", None, "a"], "string", "text"),
        ([True, False], "bool", "flag"),
    ],
)
def test_columns_keep_the_types_of_cells(values, dtype, kind):
    """Numbers that a script cannot hold are texts."""
    import pandas as pd

    data = column_data(pd.Series(values, name="c", dtype=dtype))
    assert data["kind"] == kind
    found = [data["same"]] * len(values) if "same" in data else data["values"]
    words = data.get("words")
    wanted = [None if value is None else str(value) if words else value for value in values]
    read = [value if value is None or not words else words[value] for value in found]
    assert [float(v) if isinstance(v, str) and not words else v for v in read] == wanted
    assert json.loads(json.dumps(data)) == data
    assert packed(data) == packed(data)
