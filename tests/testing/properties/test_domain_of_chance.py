"""The contract of games of chance finds chance that is none, draws that differ, and compiled chances that do."""

from dataclasses import replace

import pytest

import searchlab as sl
from searchlab.testing import check
from tests.changed_domain import changed

LAST = 5


def successors(board):
    """Two steps on a line of six places."""
    place = board.tile_at(0, 0)
    for step in (1, 2):
        if place + step <= LAST:
            yield f"by-{step}", sl.Board([[place + step]])


def never(board):
    return False


def chance(board):
    """It slides on by one place now and then; at the end nothing apply any more."""
    place = board.tile_at(0, 0)
    if place < LAST:
        yield "stays", board, 0.9
        yield "slides", sl.Board([[place + 1]]), 1 - 0.9


def packed(board):
    return sl.PackedForm(
        values=LAST + 1,
        max_successors=2,
        successors=packed_successors,
        is_goal=never,
        chances=packed_chances,
        most_chances=2,
        tables={"last": LAST},
    )


def packed_successors(tiles, out, last):
    count = 0
    for step in range(1, 3):
        if tiles[0, 0] + step <= last:
            out[count, 0, 0] = tiles[0, 0] + step
            count += 1
    return count


def packed_chances(tiles, out, probabilities, last):
    if tiles[0, 0] == last:
        return 0
    out[0, 0, 0] = tiles[0, 0]
    probabilities[0] = 0.9
    out[1, 0, 0] = tiles[0, 0] + 1
    probabilities[1] = 1 - 0.9
    return 2


SLIDE = sl.Domain(
    "slide",
    successors,
    never,
    start=lambda: sl.Board([[0]]),
    why_invalid=lambda board: "too far" if board.largest_tile() > LAST else "",
    packed=packed,
    chance=sl.Chance(chance, opening=lambda: 1, points=lambda board, after: after.tile_at(0, 0) - board.tile_at(0, 0)),
)


def findings(**fields):
    options = {"seconds": 10, "must_compile": True}
    (report,) = check(changed(SLIDE, **fields), **options)
    return report


def failing(**fields):
    return {asked.name: str(finding) for asked, finding in findings(**fields).findings if finding.status == "failed"}


@pytest.mark.slow
def test_a_correct_game_of_chance_passes():
    """Properties of searches are not checked."""
    report = findings()
    assert report.passed
    asked = [asked.name for asked, _ in report.findings]
    assert {"chances", "apply", "draws", "frequencies", "same-chances", "points"} < {*asked}
    assert not {"revisited", "bounds", "engines-agree"} & {*asked}
    assert {report.finding(name).status for name in ("chances", "apply", "draws", "frequencies")} == {"passed"}
    assert report.finding("same-chances").facts["events"] > 0


@pytest.mark.slow
def test_transcripts_get_the_events_of_a_game():
    """A transcript that fails only if something appears after a move is found."""
    said = failing(transcript=lambda start, turns: [event.upper(1) for turn in turns for event in turn.events])
    assert "takes no arguments" in said["texts"]


@pytest.mark.slow
def test_domains_without_chance_have_no_properties_of_chance():
    (report,) = check("sliding-tile", kind="domain", seconds=0.2)
    assert not {"chances", "apply", "draws", "frequencies", "same-chances"} & {a.name for a, _ in report.findings}
    assert report.finding("points").status == "skipped"


def turned_round(calls=[]):  # noqa: B006 - it is to remember
    calls.append(1)
    return len(calls) % 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda board: [("stays", board, 0.5)], "yields probabilities that add up to 0.5"),
        (lambda board: [("stays", board, 0.5), ("stays", board, 0.5)], "two events on a board are both called stays"),
        (lambda board: [("far", sl.Board([[9]]), 1.0)], "the event far leads to an illegal board"),
        (lambda board: [(f"stays-{turned_round()}", board, 1.0)], "asked twice, something else may appear"),
    ],
)
def test_invalid_events_fail(wrong, said):
    """The board is shown."""
    assert said in (found := failing(events=wrong))["chances"]
    assert "on this board of slide:" in found["chances"] or "from:" in found["chances"]
    assert "successors" not in found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("apply", "said"),
    [
        (lambda board, event: None, "apply(stays) refuses it, and chance lists it"),
        (lambda board, event: sl.Board([[0]]), "apply(stays) leads to another board, and chance lists it"),
        (lambda board, event: int("x"), "chance lists the event stays, but: slide: 'stays' is not an event"),
        (lambda board, event: 1 / 0, "chance lists the event stays, but: slide: <lambda> failed: ZeroDivisionError"),
    ],
)
def test_listed_events_that_cannot_be_applied_fail(apply, said):
    assert said in failing(apply=apply)["apply"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda board, random: [("melts", board)], "the event melts is drawn, which chance does not list"),
        (lambda board, random: [("slides", board)], "the event slides is drawn, which chance does not list, or with"),
        (lambda board, random: [], "chance lists 2 events, but 0 offers are drawn"),
        (lambda board, random: [("stays", None), ("stays", board)], "the offer stays is refused when it is drawn"),
        (
            lambda board, random: [("stays", board) if turned_round() else ("slides", sl.Board([[5]]))],
            "drawn twice from the same random numbers, something else appears",
        ),
    ],
)
def test_draws_of_unlisted_events_fail(draw, said):
    """Draws that ignore `random` fail, too."""

    def at_most_once(board, random):
        random.raw()
        return draw(board, random) if board.tile_at(0, 0) < LAST else []

    assert said in failing(draw=at_most_once)["draws"]


def test_draws_with_other_frequencies_fail():
    """Such as a half instead of one in ten."""

    def fair(board, random):
        if board.tile_at(0, 0) < LAST:
            slides = random.below(2)
            yield ("slides", sl.Board([[board.tile_at(0, 0) + 1]])) if slides else ("stays", board)

    found = failing(draw=fair)
    assert [*found] == ["frequencies"]
    assert "of 4,000 draws 2,0" in found["frequencies"] or "of 4,000 draws 1,9" in found["frequencies"]
    assert "are stays, where 3,600 are expected" in found["frequencies"]


def test_an_opening_that_varies_fails():
    """Begun twice with the same seed."""
    start = lambda: sl.Board([[turned_round()]])  # noqa: E731
    assert "begun twice with the same seed" in failing(start=start, samples=lambda: [({}, sl.Board([[0]]))])["draws"]


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (lambda board, after: None, "slide: points returned None, which is not a number"),
        (lambda board, after: turned_round(), "asked twice, the move by-1 earns"),
    ],
)
def test_invalid_points_fail(points, said):
    """The move is shown."""
    found = failing(points=points)["points"]
    assert said in found
    assert "from:" in found


def compiled(**form):
    return {"packed": lambda board: replace(packed(board), **form)}


def rounded(tiles, out, probabilities, last):
    count = packed_chances(tiles, out, probabilities, last)
    probabilities[1] = 0.1
    return count


def swapped(tiles, out, probabilities, last):
    count = packed_chances(tiles, out, probabilities, last)
    if count:
        out[0, 0, 0], out[1, 0, 0] = out[1, 0, 0], out[0, 0, 0]
    return count


def one_only(tiles, out, probabilities, last):
    return min(1, packed_chances(tiles, out, probabilities, last))


def of_a_set(tiles, out, probabilities):
    return 1 if tiles[0, 0] in SETTING else 0


SETTING = {"a": 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "said"),
    [
        (rounded, "event 2 has the probability 0.09999999999999998 readable, 0.1 compiled"),
        (swapped, "event 1 is another board"),
        (one_only, "2 events readable, 1 compiled"),
        (of_a_set, "SETTING, a dict"),
    ],
)
def test_compiled_chances_that_differ_fail(function, said):
    """To the last bit, and in their order; or that do not compile."""
    assert said in failing(**compiled(chances=function))["same-chances"]


@pytest.mark.slow
def test_missing_compiled_chances_fail_only_if_they_must_compile():
    without = changed(SLIDE, **compiled(chances=None, most_chances=0))
    (report,) = check(without, seconds=5)
    assert report.passed
    assert "has no packed form with chances" in report.finding("same-chances").message
    (report,) = check(without, seconds=5, must_compile=True)
    assert report.finding("same-chances").status == "failed"


def test_chance_that_hangs_is_given_up():
    """With the board it was asked about."""

    def hangs(board):
        while board.tile_at(0, 0) > 1:
            pass
        yield "stays", board, 1.0

    (report,) = check(changed(SLIDE, events=hangs, packed=None), seconds=2, longest_call=0.3)
    assert "did not come back within 0.3 s" in "".join(str(finding) for _, finding in report.findings)


@pytest.mark.slow
def test_heuristics_and_players_are_checked_on_games_of_chance():
    """On boards that are met by playing."""
    for name in ("snake", "moves-to-go"):
        (report,) = check(name, kind="heuristic", domain="2048-random", seconds=2)
        assert report.passed
        assert any("sampled boards of 2048-random:p2=0.75,offers=any" in ground for ground in report.grounds)
    (report,) = check("greedy", kind="player", domain="2048-random:preset=cs61b", seconds=2)
    assert report.passed
    assert all("cs61b" in ground or "stop_at=2048" in ground for ground in report.grounds)


def earning(tiles, out, points, last):
    """The packed successors, with what they earn where somebody wants to know."""
    count = packed_successors(tiles, out, last)
    if points is not None:
        for k in range(count):
            points[k] = out[k, 0, 0] - tiles[0, 0]
    return count


def earning_too_much(tiles, out, points, last):
    count = packed_successors(tiles, out, last)
    if points is not None:
        for k in range(count):
            points[k] = 2
    return count


def slides_by_chance(tiles, out, random, last):
    """One number for each draw, as on boards."""
    if tiles[0, 0] == last:
        return 0
    out[0, 0, 0] = tiles[0, 0]
    if sl.next_raw(random) / 2.0**64 >= 0.9:
        out[0, 0, 0] += 1
    return 1


def stays(tiles, out, random):
    sl.next_raw(random)
    out[0] = tiles
    return 1


@pytest.mark.slow
def test_compiled_games_that_equal_readable_ones_pass():
    """A form without draws is skipped."""
    found = findings(**compiled(successors=earning, draws=slides_by_chance)).finding("same-games")
    assert (found.status, found.facts) == ("passed", {"games": 5})
    assert findings().finding("same-games").status == "skipped"


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed", [{"successors": earning_too_much, "draws": slides_by_chance}, {"successors": earning, "draws": stays}]
)
def test_compiled_games_that_differ_fail(changed):
    """What is wrong is said of the first game in which it shows."""
    assert "points and draws are to be the same" in failing(**compiled(**changed))["same-games"]


def fill(board):
    """Put a tile of 2 into one of two places."""
    yield from ((f"place-{at}", placed(board, at, 2)) for at in range(2) if not board.tile_at(0, at))


def placed(board, at, tile):
    return sl.Board([[tile if place == at else board.tile_at(0, place) for place in range(2)]])


def equally(board):
    return appearing(board, 0.5)


def more_to_the_left(board):
    return appearing(board, 0.6)


def appearing(board, left):
    """A tile grows by one."""
    for at, likely in enumerate((left, 1 - left)):
        yield f"grows-{at}", placed(board, at, board.tile_at(0, at) + 1), likely


PAIR = sl.Domain("pair", fill, never, start=lambda: sl.Board([[0, 0]]), chance=sl.Chance(equally, symmetric=True))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"events": more_to_the_left}, "after a move to a board that is mirrored, chance does something else"),
        ({"successors": lambda board: list(fill(board))[:1]}, "a board that is mirrored has other moves"),
        ({"points": lambda board, after: after.tile_at(0, 0)}, "a board that is mirrored has other moves"),
        ({"is_goal": lambda board: board.tile_at(0, 0) == 1}, "the same board mirrored only one is a goal"),
        (
            {
                "start": lambda: sl.Board([[3, 0]]),
                "why_invalid": lambda board: "too far right" * (board.tile_at(0, 1) > board.tile_at(0, 0)),
            },
            "a board that is mirrored is illegal: too far right",
        ),
    ],
)
def test_a_game_in_which_turning_a_board_makes_a_difference_is_not_symmetric(fields, said):
    """The board is shown beside the one that is turned."""
    (report,) = check(changed(PAIR, **fields), seconds=0.2)
    finding = report.finding("symmetric")
    assert finding.status == "failed"
    assert said in finding.message
    assert len(finding.boards) == 2


def test_a_symmetric_game_passes_and_others_are_not_checked():
    (report,) = check(PAIR, seconds=0.2)
    assert report.finding("symmetric").status == "passed"
    assert report.finding("symmetric").facts["events"] > 0
    assert "symmetric" not in [asked.name for asked, _ in check(SLIDE, seconds=0.2)[0].findings]
