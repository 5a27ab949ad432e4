"""The contract of heuristics finds what is wrong, shows the smallest case, and says what may be declared."""

import linecache
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import searchlab as sl
from searchlab.testing import check
from searchlab.testing.toys import ESTIMATES, GRIDS

PLUGINS = Path(__file__).parents[2] / "plugin_files"


def failing(report):
    return [asked.name for asked, finding in report.findings if finding.status == "failed"]


def test_a_single_inadmissible_value_is_found(on_8_puzzle):
    """Of 181,440 boards the one is found and shown, with what it is valued and what it costs."""
    report = on_8_puzzle("one-too-high")
    finding = report.finding("admissible")
    assert "admissible" in failing(report)
    assert "4 on a board that is solved at a cost of 3 (1 of 181,440 boards" in finding.message
    assert finding.boards[0][1] == sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    assert finding.facts == {"value": 4, "cost": 3, "boards": 1, "of": 181_440}
    assert "neither" in report.finding("verdict").message


@pytest.mark.slow
def test_counterexamples_on_sampled_boards_are_made_smaller():
    """Of a stack of 16 pancakes only a sample is checked; twice the number of gaps is wrong on two pancakes."""

    def twice_gap(tiles):
        count, last = 0, tiles.shape[1] + 1
        for k in range(tiles.shape[1]):
            below = tiles[0, k + 1] if k + 1 < tiles.shape[1] else last
            if abs(tiles[0, k] - below) != 1:
                count += 2
        return count

    h = sl.Heuristic("twice-gap", twice_gap, domains={"pancake"}, admissible=True, consistent=True)
    (report,) = check(h, board=sl.read_board("pancake/stack-16-1"), seconds=4)
    assert failing(report) == ["consistent", "admissible"]
    two = sl.Board([[2, 1]])
    for name in ("consistent", "admissible"):
        finding = report.finding(name)
        assert finding.boards[0][1] == two
        assert finding.facts["steps"] == 14
    assert report.finding("admissible").facts["cost"] == 1


def test_admissible_but_not_consistent(on_8_puzzle):
    """Both ends of the move with the least true cost are shown; admissible it may still be declared."""
    report = on_8_puzzle("jumping")
    assert failing(report) == ["consistent"]
    finding = report.finding("consistent")
    (_, before), (_, after) = finding.boards
    domain = sl.domain("sliding-tile")
    assert after in domain.neighbors(before)
    h = sl.heuristic("taxicab")
    assert h(before) > 1
    assert "and 0 after a move that costs 1" in finding.message
    verdict = report.finding("verdict")
    assert verdict.message.startswith("it may declare admissible=True: so it is on all 181,440 boards")
    assert verdict.facts == {"admissible": True, "consistent": False}


def test_undeclared_properties_do_not_fail(on_8_puzzle):
    """The same heuristic without declarations passes; what it may declare is reported."""
    report = on_8_puzzle("jumping-undeclared")
    assert report.passed
    assert report.finding("consistent").status == report.finding("admissible").status == "info"
    assert report.finding("admissible").message.endswith("not declared")
    assert report.finding("consistent").boards


@pytest.mark.slow
def test_a_declaration_is_checked_with_the_parameters_it_holds_for():
    """With `cost=inverse` moves cost less than 1; counting tiles is declared admissible with the other costs only."""
    (report,) = check("misplaced")
    assert report.passed
    assert report.finding("consistent").status == report.finding("admissible").status == "passed"


@pytest.mark.slow
def test_a_constant_declaration_is_not_checked_with_other_costs():
    """With `cost=inverse` the number of misplaced tiles is no bound."""
    counted = sl.heuristic("misplaced").component
    failures = {}
    for name, stated in (("plainly", True), ("with-all-costs", lambda: True)):
        h = replace(counted, name=name, aliases=(), admissible=stated, consistent=stated)
        failures[name] = failing(check(h)[0])
        for cost, is_claimed in (("unit", True), ("inverse", name != "plainly")):
            assert sl.heuristic(h, domain=f"sliding-tile:cost={cost}").admissible is is_claimed
    assert failures == {"plainly": [], "with-all-costs": ["consistent", "admissible", "between"]}


def test_the_clock(on_8_puzzle):
    """Two values of one board differ; the name it reads it by and the line are reported."""
    for name in ("reads_the_clock", "reads_the_clock_of_the_day"):
        report = on_8_puzzle(name)
        finding = report.finding("deterministic")
        assert "deterministic" in failing(report)
        assert "it reads the clock, time in line " in finding.message
        line = int(finding.message.rpartition(" ")[2])
        assert "time.time()" in linecache.getline(str(PLUGINS / "faulty_heuristics.py"), line)
    assert "it reads the clock; a heuristic depends on the board alone" in report.finding("compiles").message


def test_writing_into_tiles_fails(on_8_puzzle):
    """The report shows the changed cell and the tiles before."""
    report = on_8_puzzle("writes")
    assert "pure" in failing(report)
    finding = report.finding("pure")
    assert "it changes the tile at row 1, column 1 from" in finding.message
    assert finding.boards[0][1].tile_at(0, 0) != 0
    assert "read-only" in report.finding("answers").message


@pytest.mark.slow
def test_raising_on_unreachable_boards_fails(checked):
    """In 2048 a 2 has always just appeared; the given board has none."""
    report = checked("needs-a-two", board=sl.Board([[0, 0, 2], [0, 0, 0], [0, 0, 0]]), domain="2048:goal=16")
    assert failing(report)[0] == "answers"
    finding = report.finding("answers")
    assert "ValueError: 2 is not in list" in finding.message
    assert "faulty_heuristics.py, line " in finding.message
    assert "no search" in finding.message
    assert 2 not in finding.boards[0][1].tiles


def test_a_failure_on_the_given_board_is_shown(checked):
    """A legal board that no search reaches is shown only if no other board fails."""
    board = sl.Board([[0, 0, 2], [0, 0, 0], [0, 0, 0]])
    finding = checked("no_number", board=board, domain="2048:goal=8").finding("answers")
    assert finding.message == "it returned 'many', which is not a number"
    assert finding.boards[0][1] == board


def test_a_heuristic_that_does_not_compile_passes_with_the_reason(on_8_puzzle):
    """The line is named, with a remedy; everything else is checked."""
    report = on_8_puzzle("of_a_dict")
    assert report.passed
    assert report.is_interpreted
    finding = report.finding("compiles")
    assert '`scale += SETTINGS.get("scale")`: it uses SETTINGS, a dict' in finding.message
    assert "write `SETTINGS.get('scale', 0)`" in finding.message
    assert finding.facts["line"] > 0
    assert report.finding("same-compiled").status == "skipped"
    assert "not declared" in report.finding("admissible").message


def test_a_heuristic_that_must_compile_and_does_not_fails(on_8_puzzle):
    """As one that ships."""
    report = on_8_puzzle("of_a_dict", must_compile=True)
    assert failing(report) == ["compiles"]
    assert "runs interpreted" in report.finding("compiles").message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked", "said"),
    [
        ("counts_its_calls", "deterministic", "the first time and"),
        ("no_number", "answers", "it returned 'many', which is not a number"),
        ("not_a_number", "answers", "NaN"),
        ("overflows", "same-compiled", "wrap around"),
        ("badly-updated", "incremental", "incremental gives"),
        ("badly-carried", "incremental", "incremental carries ("),
    ],
)
def test_other_faults_fail(on_8_puzzle, name, asked, said):
    """State between calls, no number, NaN on some boards, whole numbers beyond 64 bits, a wrong update."""
    report = on_8_puzzle(name)
    assert asked in failing(report)
    assert said in report.finding(asked).message
    assert report.finding(asked).boards


def test_a_hanging_call_is_given_up(on_8_puzzle):
    """The board is shown, and the check ends."""
    report = on_8_puzzle("hangs", longest_call=0.5)
    finding = report.finding("answers")
    assert failing(report) == ["answers"]
    assert finding.message.startswith("it did not come back within 0.5 s")
    assert finding.boards[0][1].tile_at(0, 0) == 8
    assert report.finding("verdict").message == "not checked after answers got no answer"


def test_a_score_is_never_admissible(checked):
    """Declared, it fails; not declared, the question does not arise."""
    start = sl.Board([[0, 2], [0, 0]])
    report = checked("admissible-score", board=start, domain="2048:goal=8")
    assert "never admissible" in report.finding("admissible").message
    assert report.finding("admissible").status == "failed"
    assert report.finding("consistent").status == "skipped"


@pytest.mark.slow
@pytest.mark.parametrize(("added", "is_told"), [(0.0, True), (100.0, False)])
def test_a_negative_score_is_reported(added, is_told):
    """Players that look ahead prefer to lose; where no game can be lost that is no matter."""

    def less_large_tiles(tiles):
        return added - tiles.max()

    scored = sl.Heuristic("less-large-tiles", less_large_tiles, prefer="high")
    for domain, can_be_lost in (("2048:goal=16,n=2", True), ("sliding-tile", False)):
        (report,) = check(scored, domain=domain, seconds=0.35)
        said = report.finding("verdict").message
        assert ("boards below 0, down to -16, are worse to expectimax" in said) == (is_told and can_be_lost), said


def test_a_correct_component_passes(on_8_puzzle):
    """Nothing fails, and every board and move was looked at."""
    report = on_8_puzzle("well-declared")
    assert report.passed
    assert "on 181,440 boards of known cost" in report.finding("admissible").message
    assert "none of 483,838 moves" in report.finding("consistent").message
    assert report.finding("goal-value").message == "0 at each of 1 goals"
    assert "admissible=True, consistent=True" in report.finding("verdict").message


def test_the_values_of_goals():
    """A constant estimate is no estimate at goals."""
    from searchlab.testing import check

    def constant(tiles):
        return 3

    domains = frozenset({"2048"})
    board = sl.Board([[0, 2], [0, 0]])
    (undeclared,) = check(sl.Heuristic("constant", constant, domains=domains), board=board, domain="2048:goal=8")
    assert (undeclared.finding("goal-value").status, undeclared.passed) == ("info", True)
    declared = sl.Heuristic("constant", constant, domains=domains, admissible=True)
    (report,) = check(declared, board=board, domain="2048:goal=8")
    assert failing(report) == ["goal-value", "admissible"]
    assert report.finding("admissible").facts["cost"] == 0


def test_a_sample_is_not_reported_as_a_proof(checked):
    """On a space too large to enumerate the verdict says so, and claims nothing where no cost is known."""
    far = sl.Board([[14, 13, 15, 7], [11, 12, 9, 5], [6, 0, 2, 1], [4, 8, 10, 3]])
    report = checked("well-declared", domain="sliding-tile:goal=blank-first", board=far)
    assert report.passed
    assert report.grounds[0].split()[1:3] == ["sampled", "boards"]
    verdict = report.finding("verdict")
    assert report.finding("admissible").message == "the exact cost of no board could be found out"
    assert "against consistent=True, but only samples" in verdict.message
    assert verdict.facts["admissible"] is None
    near = sl.Board([[1, 2, 0, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]])
    report = checked("well-declared", domain="sliding-tile:goal=blank-first", board=near)
    assert report.finding("admissible").status == "passed"
    assert "only samples were looked at: prove it" in report.finding("verdict").message


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blanks-to-the-end", "only-blanks-to-the-end", "packed-blank"])
def test_forms_that_agree_pass(on_8_puzzle, name):
    """Nothing fails; where there is a function, all boards were compared with it."""
    report = on_8_puzzle(name)
    assert report.passed
    form = "packed" if name == "packed-blank" else "batch"
    assert report.finding(form).status == "passed"
    if not name.startswith("only"):
        assert report.finding(form).facts["boards"] > 181_440


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "form", "said"),
    [
        ("one-off-in-a-corner", "batch", "the batch form gives 5, the function 4"),
        ("off-on-few-boards", "batch", "the batch form gives "),
        ("relative-to-the-others", "batch", "its value depends on the boards beside it: 3 in a batch of "),
        ("only-relative-to-the-others", "batch", "its value depends on the boards beside it: 3 in a batch of "),
        ("depends-on-the-first", "batch", "in the opposite order"),
        ("only-depends-on-the-first", "batch", "in the opposite order"),
        ("cleared-when-done", "batch", "row 1, column 1 from 1 to 0; work on boards.copy()"),
        ("only-cleared-when-done", "pure", "row 1, column 1 from 1 to 0; work on tiles.copy()"),
        ("packed-one-off", "packed", "the packed form gives "),
        ("packed-by-a-hair", "packed", "the packed form gives 1.0000000000000002, the function 1"),
    ],
)
def test_forms_that_differ_fail(on_8_puzzle, name, form, said):
    """However few the boards are, or small the difference."""
    finding = on_8_puzzle(name).finding(form)
    assert finding.status == "failed"
    assert said in finding.message
    assert len(finding.boards) == 1


@pytest.mark.slow
def test_the_smallest_counterexample(on_8_puzzle):
    """Of the 30 boards that begin with 8 7 6 5 none is nearer to the goal than the one that is shown."""
    assert (
        on_8_puzzle("off-on-few-boards").finding("batch").boards
        == on_8_puzzle("packed-one-off").finding("packed").boards
    )
    corner = on_8_puzzle("one-off-in-a-corner").finding("batch").boards[0][1]
    result = sl.solve(corner, domain="sliding-tile")
    assert (result.moves, corner.tile_at(0, 0)) == (4, 0)


def test_a_batch_of_the_wrong_length(on_8_puzzle):
    """The message gives the returned and the expected length."""
    finding = on_8_puzzle("one-value-short").finding("batch")
    assert "an array of shape (" in finding.message
    assert "a number for each of " in finding.message


def test_a_packed_form_that_does_not_compile(on_8_puzzle):
    """The line and what to write instead are reported: such a form would slow the whole heuristic down."""
    finding = on_8_puzzle("packed-of-a-dict").finding("packed")
    assert finding.status == "failed"
    assert "it uses SETTINGS, a dict" in finding.message


def test_a_packed_form_that_is_never_called(on_8_puzzle):
    """It asks for what the domain does not have: that is only told."""
    assert on_8_puzzle("packed-with-wishes").finding("packed").status == "info"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked", "said"),
    [
        ("draws", "deterministic", "the first time and"),
        ("beyond_the_border", "answers", "IndexError: index 3 is out of bounds"),
        ("around-the-border", "admissible", "10 on a board that is solved at a cost of 0"),
        ("around-the-border", "consistent", "after a move that costs 1"),
    ],
)
def test_faults_at_the_border_and_by_chance(on_8_puzzle, name, asked, said):
    """An index too far, an index before the first, which Python takes for the last, and a random number."""
    finding = on_8_puzzle(name).finding(asked)
    assert finding.status == "failed"
    assert said in finding.message
    assert finding.boards


def test_varying_values_are_not_compared_with_compiled_ones(on_8_puzzle):
    assert on_8_puzzle("draws").finding("same-compiled").status == "skipped"


def apart(tiles, other):
    return abs(tiles[0, 0] - other[0, 0]) + abs(tiles[0, 1] - other[0, 1])


def pairs(between, **fields):
    """Return the finding about the estimates between two cells of a grid."""
    goals = {"goals": lambda board, goal, side: [sl.Board([divmod(goal, side)])] if goal >= 0 else []}
    domain = sl.domain(replace(GRIDS[0], **goals), goal=7)
    h = replace(ESTIMATES[0], domains={"grid"}, between=between, **fields)
    (report,) = check(h, domain=domain, seconds=20)  # enough for all pairs of the 16 cells
    return report.finding("between")


@pytest.mark.parametrize("drop", [1, 2])
def test_updates_by_the_moves_of_packed_states(drop):
    """Where the packed form has no successor function on tiles."""

    def expand(words, out, moves):
        out[0, 0] = words[0] + np.uint64(1)
        moves[0, 0] = 1
        return 1 if words[0] < np.uint64(7) else 0

    def left(tiles):
        return 7 - tiles[0, 0]

    def after(h, by, drop=drop):
        return h - drop * by

    packed = sl.PackedForm(8, 1, words=sl.Words(expand, lambda words: words[0] == np.uint64(7)), move=("by",))
    domain = sl.Domain(
        "counter",
        lambda board: [("up", sl.Board([[board.tile_at(0, 0) + 1]]))] * (board.tile_at(0, 0) < 7),
        lambda board: board.tile_at(0, 0) == 7,
        start=lambda: sl.Board([[0]]),
        packed=lambda board: packed,
    )
    (found,) = check(sl.Heuristic("left", left, incremental=after), domain=domain, seconds=0.3)
    assert found.finding("incremental").status == ("passed" if drop == 1 else "failed")


@pytest.mark.slow
def test_estimates_between_two_boards():
    """They are compared with the costs of paths; where they are wrong, the two boards are shown."""
    finding = pairs(apart)
    assert (finding.status, finding.facts["pairs"] > 10) == ("passed", True)
    calls = []
    for between, said in (
        (lambda tiles, other: 2 * apart(tiles, other), "to the nearest goal it is "),
        (lambda tiles, other: apart(tiles, other) + (other[0, 0] == 0) * 2, "declared "),
        (lambda tiles, other: apart(tiles, other) + (tiles[0, 0] == 0) * (other[0, 0] == 3), "declared "),
        (lambda tiles, other: apart(tiles, other) * (tiles.sum() % 2), "and the value is"),
        (lambda tiles, other: calls.append(1) or len(calls), "and the value is"),
        (lambda tiles, other: None, "heuristic steps: between returned None, which is not a number"),
    ):
        finding = pairs(between)
        assert finding.status == "failed"
        assert said in finding.message


def test_estimates_between_two_boards_that_drop():
    """Declared consistent, they are not; without goals to compare with it is the pair that tells."""

    def every_other(tiles, other):
        return apart(tiles, other) if (tiles[0, 0] + tiles[0, 1]) % 2 else 0

    h = sl.Heuristic("h", lambda tiles: 0, consistent=True, admissible=True, between=every_other)
    (report,) = check(h, domain=sl.domain(GRIDS[0], goal=15), seconds=0.05)
    finding = report.finding("between")
    assert "declared consistent: " in finding.message
    assert [caption for caption, _ in finding.boards] == ["before:", "after:", "to:"]


def test_estimates_between_two_boards_in_both_directions():
    """What drops towards the start of a pair is found only where moves cannot be undone: there both are needed."""

    def from_even_cells(tiles, other):
        return apart(tiles, other) if (other[0, 0] + other[0, 1]) % 2 else 0

    h = sl.Heuristic("h", lambda tiles: 0, consistent=True, admissible=True, between=from_even_cells)
    for inverse, status in (("", "failed"), ("same", "passed")):
        domain = sl.domain(replace(GRIDS[0], inverse=inverse), goal=15)
        (report,) = check(h, domain=domain, seconds=0.05)
        finding = report.finding("between")
        assert finding.status == status
        if status == "failed":
            assert [caption for caption, _ in finding.boards] == ["start:", "before:", "after:"]


def test_estimates_between_boards_far_apart_are_compared():
    def far(tiles, other):
        return apart(tiles, other) + 2 * (apart(tiles, other) > 25)

    h = sl.Heuristic("h", lambda tiles: 0, admissible=True, between=far)
    (report,) = check(h, domain=sl.domain(GRIDS[0], side=16, goal=0), seconds=2)
    assert "declared admissible: it is " in report.finding("between").message


@pytest.mark.slow
def test_estimates_between_two_boards_are_compiled():
    """The same in both engines; what cannot be compiled, or is another number then, is found."""

    def unlike(tiles, other):
        return (tiles[0, 0] != other[0, 0]) + (tiles[0, 1] != other[0, 1])

    def average(tiles, other):
        return tiles.average() if other[0, 0] == 99 else 0

    domain = sl.domain(replace(GRIDS[0], goals=lambda board, goal, side: [sl.Board([divmod(goal, side)])]), goal=7)
    (report,) = check(sl.Heuristic("h", between=unlike), domain=domain, seconds=0.05)
    assert report.finding("between").message == "compiled it is 2, and interpreted 1"
    (report,) = check(sl.Heuristic("h", lambda tiles: 0, between=average), domain=domain, seconds=0.05)
    assert report.finding("compiles").facts["what"] == "an array has no average in compiled code"


def test_a_heuristic_without_between_is_not_checked_for_it(checked):
    report = checked("needs-a-two", board=sl.Board([[0, 0, 2], [0, 0, 0], [0, 0, 0]]), domain="2048:goal=16")
    assert "between" not in [asked.name for asked, _ in report.findings]


@pytest.mark.slow
def test_possible_declarations_are_reported(checked):
    report = checked("manhattan")
    assert any("cost=inverse" in ground for ground in report.grounds)
    for claim in ("admissible", "consistent"):
        assert report.finding(claim).message.endswith("; not declared")
    assert report.finding("verdict").message.startswith("it may declare admissible=True, consistent=True")
