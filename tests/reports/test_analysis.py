"""The analysis of a game: the values a player gives to its moves, and the page that tells them."""

import json
import re
from math import inf, isnan, nan

import html5lib
import pytest
from browser import READABLE, contrast, wait_for

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.reports.analysis import analysis
from searchlab.reports.recording import of_game
from searchlab.reports.viewer import viewer_page

HOSTILE = '</script><script>alert("x")</script><img src=http://example.org onerror=alert(1)>'


@pytest.fixture(scope="module")
def played():
    """A game of 80 moves by chance."""
    return sl.play(player="random", seed=5, most_moves=80)


def judged(game, name, **settings):
    return analysis(game, sl.player(name, domain=sl.domain(game.domain)), **settings)


@pytest.fixture(scope="module")
def by_blanks(played):
    """The same, judged by the number of blank cells after each move."""
    return judged(played, "greedy:heuristic=empty", threshold=1.5)


def stairs(values):
    """A game of one position with three moves, of these values to its player, and the game in which `c` was made."""
    names = dict(zip("abc", ("a", HOSTILE, "c"), strict=True))

    def successors(board):
        if board.tile_at(0, 0) == 1:
            yield from ((name, sl.Board([[2 + k]])) for k, name in enumerate(names.values()))

    domain = sl.domain(sl.Domain("stairs", successors, lambda board: False, start=lambda: sl.Board([[1]])))
    game = sl.play(domain=domain, player=lambda board, moves: "c")
    player = sl.Player("judge", values=lambda board, moves: values)
    from searchlab.plugins import lookup

    return game, domain, analysis(game, lookup.player(player, domain=domain))


def test_values_and_losses_are_those_of_the_player(played, by_blanks):
    """Of every move, the best first, and the loss is what the one that was played lacks."""
    domain = sl.domain(played.domain)
    for board, turn, position in zip(played.boards, played.turns, by_blanks.positions, strict=False):
        values = {action: float((after.tiles == 0).sum()) for action, after in domain.successors(board)}
        assert position.values == values
        assert list(position.values.values()) == sorted(values.values(), reverse=True)
        assert (position.played, position.estimate) == (turn.action, max(values.values()))
        assert position.loss == max(values.values()) - values[turn.action]
        assert (position.best == position.played) == (position.loss == 0)


def test_a_player_loses_nothing_by_its_values():
    """It agrees with all its moves."""
    game = sl.play(player="greedy", seed=1, most_moves=50)
    own = judged(game, "greedy")
    assert (own.agreement, own.mistakes) == (50, [])
    assert own.headline.startswith("no loss of ")


def test_mistakes_lose_the_threshold_or_more(by_blanks):
    """The largest first."""
    losses = [position.loss for position in by_blanks.positions]
    mistakes = by_blanks.mistakes
    assert sorted(mistakes) == [number for number, loss in enumerate(losses) if loss >= 1.5]
    assert [losses[number] for number in mistakes] == sorted((losses[number] for number in mistakes), reverse=True)
    assert f"{len(mistakes)} losses of 1.5 or more by the values of greedy:heuristic=empty" in by_blanks.headline


def test_the_threshold_suits_the_values(played):
    """Without one it is a tenth of their range, whatever their unit, and not of what is lost at the end."""
    small = judged(played, "greedy:heuristic=empty")
    assert 0.1 <= small.threshold <= 1.6
    large = judged(played, "greedy:heuristic=smooth")
    estimates = sorted(position.estimate for position in large.positions)
    assert large.threshold == pytest.approx(0.1 * (estimates[-5] - estimates[4]), rel=0.05)


def test_infinite_values_have_losses():
    """A move into certain loss loses everything; among such moves nothing is lost."""
    for values, loss, best in (((1.0, 0.0, -inf), inf, "a"), ((-inf, -inf, -inf), 0.0, "c"), ((inf, 0, inf), 0.0, "c")):
        _, _, found = stairs(values)
        (position,) = found.positions
        assert (position.loss, position.best) == (loss, best)
        assert found.mistakes == ([0] if loss else [])


def test_a_position_in_which_the_game_is_over_by_the_rules_has_no_values():
    """A person may go on from a goal where the game lets them."""
    start = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
    domain = sl.domain("sliding-tile")
    (action, after), *_ = domain.successors(start)
    turns = (sl.Turn(action, after, 1.0, 0.0, (), after),)
    game = sl.Game("interrupted", start, (), turns, "", 0.1, "a person", str(domain), 0)
    (position,) = judged(game, "greedy").positions
    assert isnan(position.estimate)
    assert isnan(position.loss)
    assert viewer_page(of_game(game, domain), analysis=judged(game, "greedy"))


def first_move(board, moves):
    """Choose the first move, without values."""
    return moves[0].action


def test_a_player_without_values_has_other_moves_instead_of_losses(played):
    """The recording has no further curve, and its figures say nothing about losses."""
    domain = sl.domain(played.domain)
    found = judged(played, first_move)
    chosen = [domain.successors(board)[0][0] for board in played.boards[:-1]]
    assert [position.best for position in found.positions] == chosen
    others = [number for number, turn in enumerate(played.turns) if turn.action != chosen[number]]
    assert found.other_moves == others
    assert 0 < len(others) < 80
    assert (found.mistakes, found.has_values, found.agreement) == ([], False, 80 - len(others))
    assert found.headline == f"first_move would make another move in {len(others)} of 80 positions"
    plain = of_game(played, domain)
    added = found.added_to(plain)
    assert added.curves == plain.curves
    assert added.facts == (*plain.facts, ("judged by", "first_move"), ("same moves", f"{80 - len(others)} of 80"))


def test_a_player_without_values_agrees_with_its_own_game(played):
    """Its random numbers are those of the game."""
    assert judged(played, "random").agreement == 80


def test_a_threshold_without_values_is_warned_of(played):
    with pytest.warns(sl.SearchlabWarning, match="player first_move gave no values of moves, so the threshold has no"):
        judged(played, first_move, threshold=2.0)


def sometimes_valued(board, moves):
    """Choose the first move, with values if the board has an even number of tiles."""
    valued = (board.tiles > 0).sum() % 2 == 0
    return sl.Judgement(moves[0].action, tuple(-float(k) for k in range(len(moves))) if valued else None)


def test_a_player_may_give_values_in_some_positions(played):
    """Losses are counted where it did, other moves where it did not."""
    found = judged(played, sometimes_valued, threshold=1.0)
    valued = [number for number, board in enumerate(played.boards[:-1]) if (board.tiles > 0).sum() % 2 == 0]
    assert [number for number, position in enumerate(found.positions) if position.values] == valued
    assert sorted([*found.mistakes, *found.other_moves]) == [
        number for number, position in enumerate(found.positions) if position.best != position.played
    ]
    assert {*found.mistakes} < {*valued}
    assert found.headline.endswith(f"; {len(found.other_moves)} other moves without values")


@pytest.mark.parametrize("threshold", [inf, nan, -1.0])
def test_an_invalid_threshold_is_refused(played, threshold):
    with pytest.raises(UsageError, match=f"a threshold is a finite number, 0 or more, not {threshold:g}"):
        judged(played, "greedy", threshold=threshold)


def test_points_that_are_expected_are_added_to_the_score(tmp_path):
    """Of a player whose heuristic estimates the points to come: what it expects at the end."""
    game = sl.play(player="greedy", seed=2, most_moves=30)
    domain = sl.domain(game.domain)
    heuristic = sl.Heuristic("ten", lambda tiles: 10.0, prefer="high", of_points=True)
    expecting = analysis(game, sl.player("greedy", domain=domain, heuristic=heuristic))
    recording = expecting.added_to(of_game(game, domain))
    score, expected = recording.curves
    assert (expected.name, expected.unit) == ("expected", score.unit)
    estimates = [position.estimate for position in expecting.positions]
    assert expected.values[:-1] == tuple(a + b for a, b in zip(score.values, estimates, strict=False))
    assert expected.values[-1] == game.score


def test_a_player_that_expects_points_says_so_without_a_heuristic_parameter():
    """The network belongs to the player, which has no parameter for it."""
    game = sl.play(player="random", seed=2, most_moves=5)
    assert judged(game, "ntuple").is_of_points
    assert judged(game, "greedy:heuristic=ntuple").is_of_points
    assert not judged(game, "expectimax:depth=1,heuristic=smooth").is_of_points


def test_progress_is_called_after_each_position(played):
    seen = []
    judged(played, "greedy", progress=seen.append)
    assert seen == list(range(1, 81))


@pytest.fixture(scope="module")
def page_file(tmp_path_factory, played, by_blanks):
    """The page of the game with its analysis."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    page = viewer_page(of_game(played, sl.domain(played.domain)), analysis=by_blanks)
    path.write_text(page, encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_page_of_a_player_without_values_shows_its_choices(pages, tmp_path, played):
    """Without columns of values and a threshold; keys go to the moves that it would not make."""
    found = judged(played, first_move)
    path = tmp_path / "chosen.html"
    path.write_text(viewer_page(of_game(played, sl.domain(played.domain)), analysis=found), encoding="utf-8")
    html5lib.HTMLParser(strict=True).parse(path.read_text(encoding="utf-8"))
    page = pages.open(path)
    assert page.locator("#threshold").count() == 0
    assert page.locator("#losses-count").inner_text() == found.headline
    assert page.locator("#losses tbody tr").count() == len(found.other_moves)
    page.keyboard.press("n")
    first = min(number for number in found.other_moves if number > 0)
    assert at(page) == first
    rows = page.locator("#values tbody tr").all_inner_texts()
    position = found.positions[first]
    assert [row.split() for row in rows] == [[position.best, "chosen"], [position.played, "played", "?"]]
    agreed = next(number for number, each in enumerate(found.positions) if each.best == each.played)
    page.fill("#jump", str(agreed))
    page.keyboard.press("Enter")
    (row,) = page.locator("#values tbody tr").all_inner_texts()
    assert row.split() == [found.positions[agreed].played, "chosen", "played"]


@pytest.mark.slow
def test_the_page_lists_other_moves_after_losses(pages, tmp_path, played):
    """They have no loss, and no mark in the graph."""
    found = judged(played, sometimes_valued, threshold=1.0)
    path = tmp_path / "mixed.html"
    path.write_text(viewer_page(of_game(played, sl.domain(played.domain)), analysis=found), encoding="utf-8")
    page = pages.open(path)
    rows = page.locator("#losses tbody tr").all_inner_texts()
    assert len(rows) == len(found.mistakes) + len(found.other_moves)
    assert [row.split()[-1] == "–" for row in rows] == [False] * len(found.mistakes) + [True] * len(found.other_moves)
    assert page.locator(".plot .loss").count() == len(found.mistakes)
    assert f"; {len(found.other_moves)} other moves without values" in page.locator("#losses-count").inner_text()


def at(page):
    return int(page.locator("#position").input_value())


@pytest.mark.slow
def test_the_page_shows_the_values_at_each_board(pages, page_file, by_blanks):
    """The best move beside the one that was played."""
    page = pages.open(page_file)
    for number in (0, 1, 2):
        position = by_blanks.positions[number]
        rows = [row.split() for row in page.locator("#values tbody tr").all_inner_texts()]
        assert [row[0] for row in rows] == list(position.values)
        assert [float(row[1]) for row in rows] == list(position.values.values())
        assert "best" in rows[0]
        (row,) = (row for row in rows if "played" in row)
        assert (row[0], float(row[2])) == (position.played, position.loss)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert page.locator("#unlisted").inner_text() == "the game is over"


@pytest.mark.slow
def test_clicks_and_keys_go_to_losses(pages, page_file, by_blanks):
    """In the list, in the graph, and to the next one."""
    page = pages.open(page_file)
    mistakes = by_blanks.mistakes
    assert page.locator("#losses tbody tr").count() == len(mistakes)
    page.locator("#losses button").nth(1).click()
    assert at(page) == mistakes[1]
    assert page.locator("#losses .current td").first.inner_text() == str(mistakes[1] + 1)
    page.keyboard.press("Home")
    page.keyboard.press("n")
    following = min(number for number in mistakes if number > 0)
    assert at(page) == following
    page.keyboard.press("n")
    page.keyboard.press("p")
    assert at(page) == following
    page.locator(".plot .loss").first.dispatch_event("click")
    assert at(page) == mistakes[0]
    assert page.locator(f"[data-move='{mistakes[0] + 1}']").inner_text().endswith("?")


def test_the_threshold_is_changed_on_the_page(pages, page_file, by_blanks):
    """List, marks in the graph and in the moves follow."""
    page = pages.open(page_file)
    page.fill("#threshold", "3")
    wanted = [number for number in by_blanks.mistakes if by_blanks.positions[number].loss >= 3]
    assert page.locator("#losses tbody tr").count() == len(wanted) == page.locator(".plot .loss").count()
    assert page.locator(".moves .mistake").count() == len(wanted)
    page.fill("#threshold", "")
    assert page.locator("#losses tbody tr").count() == len(wanted)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 360)])
def test_texts_have_enough_contrast(pages, page_file, scheme, width):
    """And nothing is wider than the page."""
    page = pages.open(page_file, width=width, color_scheme=scheme)
    found = page.evaluate(READABLE)
    assert [text for text, colour, background in found if contrast(colour, background) < 4.5] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_without_a_script_the_losses_are_listed(pages, page_file, by_blanks):
    """With how many they are, and the graph of the estimate."""
    page = pages.open(page_file, java_script_enabled=False)
    assert by_blanks.headline in page.locator(".losses h2").inner_text()
    assert page.locator("#losses tbody tr").count() == len(by_blanks.mistakes)
    assert page.locator(".plot").count() == 2


@pytest.mark.slow
def test_names_are_no_markup(pages, tmp_path):
    """Of moves, whatever they are called; html5lib reads the page, infinite values and all."""
    game, domain, found = stairs((1.0, 0.5, -inf))
    path = tmp_path / "hostile.html"
    path.write_text(viewer_page(of_game(game, domain), analysis=found), encoding="utf-8")
    html5lib.HTMLParser(strict=True).parse(path.read_text(encoding="utf-8"))
    page = pages.open(path)
    wait_for(page, "document.querySelectorAll('#values tbody tr').length === 3")
    assert "alert" in page.locator("#values").inner_text()
    assert "−∞" in page.locator("#values").inner_text()


@pytest.mark.slow
def test_of_very_many_moves_the_best_are_in_the_page():
    """And the one that was played; how many are left out is said."""
    domain = sl.domain(
        sl.Domain(
            "wide",
            lambda board: [(f"m{k}", sl.Board([[2 + k]])) for k in range(100)] if board.tile_at(0, 0) == 1 else [],
            lambda board: False,
            start=lambda: sl.Board([[1]]),
        )
    )
    game = sl.play(domain=domain, player=lambda board, moves: "m99")
    from searchlab.plugins import lookup

    judge = lookup.player(sl.Player("judge", values=lambda board, moves: range(100, 0, -1)), domain=domain)
    text = viewer_page(of_game(game, domain), analysis=analysis(game, judge))
    data = json.loads(re.search(r'id="recording">(.*?)</script>', text)[1])["analysis"]
    (position,) = data["positions"]
    assert (position[0], position[1], len(position)) == (99, 100, 2 + 2 * 17)
    assert position[-1] == 1
