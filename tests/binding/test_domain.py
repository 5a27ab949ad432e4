"""A bound domain: chance, and return values of plugin functions that are refused."""

import dataclasses
from collections import Counter

import pytest

import searchlab as sl
from tests.changed_domain import changed

ZERO, ONE, TWO = (sl.Board([[tile]]) for tile in range(3))


def steps(board):
    if board.tile_at(0, 0) < 9:
        yield "on", sl.Board([[board.tile_at(0, 0) + 1]])


def wind(board):
    """It blows the token on, with a quarter's probability."""
    yield "calm", board, 0.75
    yield "gust", sl.Board([[board.tile_at(0, 0) + 1]]), 0.25


WALK = sl.Domain("walk", steps, lambda board: board.tile_at(0, 0) >= 9, start=lambda: ZERO, chance=sl.Chance(wind))


def walk(**fields):
    return sl.domain(changed(WALK, **fields))


def test_a_domain_with_chance_is_a_game_of_chance():
    """Without a draw, events are drawn by their probabilities; without apply, they are looked up."""
    domain = walk()
    assert [(event.text, event.probability) for event in domain.chance(ZERO)] == [("calm", 0.75), ("gust", 0.25)]
    random = sl.Randomness(5)
    counts = Counter(domain.draw(ZERO, random)[0].text for _ in range(4000))
    assert set(counts) == {"calm", "gust"}
    assert abs(counts["gust"] - 1000) < 150
    assert domain.apply(ZERO, "gust") == ONE
    assert domain.opening() == 0
    assert domain.points(ZERO, ONE) == 0
    with pytest.raises(sl.UsageError, match="walk: 'gale' is not an event on this board; events are calm, gust …"):
        domain.apply(ZERO, "gale")
    game = sl.play(domain=domain, player=lambda board, moves: "on", seed=2)
    assert (game.status, game.opening) == ("goal", ())
    assert all(events in (("calm",), ("gust",)) for events in game.events[:-1])


def test_one_random_number_draws_an_event():
    """The first event whose cumulative probability exceeds the number is drawn."""

    class Numbers:
        def __init__(self, number):
            self.number = number

        def raw(self):
            return self.number

    for number, text in ((0, "calm"), (3 * 2**62 - 1025, "calm"), (3 * 2**62, "gust"), (2**64 - 1, "gust")):
        assert walk().draw(ZERO, Numbers(number))[0].text == text


def test_a_domain_without_chance_has_no_events():
    domain = walk(chance=None)
    assert domain.chance(ZERO) == domain.draw(ZERO, sl.Randomness(1)) == ()
    assert not domain.is_of_chance
    assert domain.why_not_searched == ""
    with pytest.raises(sl.UsageError, match="'calm' is not an event on this board; events are nothing"):
        domain.apply(ZERO, "calm")


def test_a_game_of_chance_is_not_searched():
    """Nor enumerated; one line says why."""
    from searchlab.search.enumeration import enumerate_states

    said = "walk is a game of chance, which has no path to search for: play it"
    with pytest.raises(sl.UsageError, match=said):
        sl.solve(domain=walk())
    with pytest.raises(sl.UsageError, match=said):
        enumerate_states(ZERO, walk())


def yields(*items):
    return lambda board, *rest: iter(items)


def raises(*subjects):
    raise KeyError("no\nidea")


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (yields(("calm", ZERO, 0.5)), "walk: events yields probabilities that add up to 0.5, not to 1"),
        (yields(("calm", ZERO, 0.5), ("gust", ONE, 0.6)), "add up to 1.1, not to 1"),
        (yields(("calm", ZERO, 1.0), ("gust", ONE, 0.0)), "gives gust the probability 0.0, not above 0 and up to 1"),
        (yields(("calm", ZERO, float("nan"))), "the probability nan"),
        (yields(("calm", ZERO, "1")), "walk: events gives calm the probability '1', which is not a number"),
        (yields(("calm", [[1]], 1.0)), "yields (event, board, probability) with a Board, not [[1]]"),
        (yields((3, ZERO, 1.0)), "walk: events names an event 3, not by a text of one line"),
        (yields(("two\nlines", ZERO, 1.0)), "names an event 'two\\nlines', not by a text of one line"),
        (yields(("", ZERO, 1.0)), "names an event ''"),
        (yields(("calm", ZERO)), "walk: <lambda> failed: ValueError: not enough values"),
        (lambda board: None, "walk: <lambda> failed: TypeError: 'NoneType' object is not iterable"),
        (raises, "walk: raises failed: KeyError: 'no"),
    ],
)
def test_invalid_events_are_errors_that_end_a_game(chance, said):
    """The error is one line and names the field."""
    domain = walk(events=chance)
    with pytest.raises(sl.PluginError) as raised:
        domain.chance(ZERO)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    game = sl.play(domain=domain, player=lambda board, moves: "on")
    assert (game.status, game.moves) == ("error", 0)
    assert said in game.reason


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (yields(("gust", None)), "walk: draw refused every offer (1)"),
        (yields(("gust", [[1]])), "walk: draw yields (event, board) with a Board or None, not [[1]]"),
        (yields((None, ONE)), "walk: draw names an event None, not by a text of one line"),
        (yields("gust"), "walk: <lambda> failed: ValueError: too many values"),
        (lambda board, random: iter(lambda: ("gust", None), 1), "draw refused every offer"),
        (raises, "walk: raises failed: KeyError"),
    ],
)
def test_invalid_draws_are_errors(draw, said, monkeypatch):
    """An endless draw is an error, too."""
    monkeypatch.setattr("searchlab.binding.chance.MOST_OFFERS", 1000)
    with pytest.raises(sl.PluginError) as raised:
        walk(draw=draw).draw(ZERO, sl.Randomness(1))
    assert said in str(raised.value)


def test_a_draw_ends_with_the_accepted_event():
    """The function is not asked for further offers."""

    def draw(board, random):
        yield "gust", None
        yield "calm", board
        raise AssertionError

    assert walk(draw=draw).draw(ZERO, sl.Randomness(1)) == (("gust", None), ("calm", ZERO))


@pytest.mark.parametrize(
    ("apply", "error", "said"),
    [
        (lambda board, event: [[1]], sl.PluginError, "walk: apply returned [[1]], not a Board"),
        (raises, sl.PluginError, "walk: raises failed: KeyError"),
        (
            lambda board, event: int("many\nlines"),
            sl.UsageError,
            "walk: 'x' is not an event: invalid literal",
        ),
    ],
)
def test_invalid_events_cannot_be_applied(apply, error, said):
    """A ValueError is an error of the user; any other exception is an error of the plugin."""
    with pytest.raises(error) as raised:
        walk(apply=apply).apply(ZERO, "x")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("value", [None, "3", [], float("nan"), float("inf"), 1j])
def test_invalid_points_are_errors(value):
    """Texts and infinite numbers are not points."""
    with pytest.raises(sl.PluginError, match=r"walk: points returned .*, (which is )?not a number"):
        walk(points=lambda board, after: value).points(ZERO, ONE)


def test_points_may_be_fractions():
    """The score is their sum."""
    domain = walk(points=lambda board, after: 0.5, events=lambda board: [("calm", board, 1)])
    game = sl.play(domain=domain, player=lambda board, moves: "on")
    assert (game.score, game.moves) == (4.5, 9)


@pytest.mark.parametrize("times", [-1, 1.5, None, True, "2"])
def test_an_invalid_opening_is_an_error(times):
    """The number of events has to be a whole number."""
    with pytest.raises(sl.PluginError, match=r"walk: opening returned .*, not a number of events"):
        walk(opening=lambda: times).opening()


def test_a_transcript_of_other_values_than_texts_is_an_error():
    """Checked as they are printed; None means the usual form."""
    printed = walk(transcript=lambda start, turns: ["a\n", 3]).transcript(ZERO, (), proved=False)
    assert next(printed) == "a\n"
    with pytest.raises(sl.PluginError, match="walk: transcript yielded 3, not a text"):
        next(printed)
    assert walk(transcript=lambda start, turns: None).transcript(ZERO, (), proved=False) is None
    with pytest.raises(sl.PluginError, match="walk: raises failed"):
        walk(transcript=raises).transcript(ZERO, (), proved=False)


PARAMETERS = (sl.Parameter("n", 4), sl.Parameter("p2", 0.9), sl.Parameter("loud", False))
PRESETS = {"plain": {}, "fair": {"p2": 0.5, "loud": True}, "loud": {"loud": "yes"}}
GAME = changed(WALK, parameters=PARAMETERS, presets=PRESETS)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, "walk"),
        ({"preset": "plain"}, "walk"),
        ({"preset": "fair"}, "walk:preset=fair"),
        ({"p2": 0.5, "loud": True}, "walk:preset=fair"),
        ({"preset": "fair", "n": 3}, "walk:preset=fair,n=3"),
        ({"preset": "fair", "p2": 0.9}, "walk:loud=yes"),
        ({"preset": "loud"}, "walk:loud=yes"),
        ({"preset": "plain", "p2": "0.25"}, "walk:p2=0.25"),
    ],
)
def test_parameters_override_those_of_a_preset(given, shown):
    """The domain shows its shortest spelling, which gives the same domain."""
    domain = sl.domain(GAME, **given)
    assert str(domain) == shown
    preset = {name: sl.domain(GAME, **PRESETS.get(given.get("preset"), {})).values[name] for name in domain.values}
    typed = {name: type(preset[name])(value) for name, value in given.items() if name != "preset"}
    assert domain.values == {**preset, **typed}
    again = sl.domain(GAME, **dict(item.split("=") for item in shown.partition(":")[2].split(",") if item))
    assert again.values == domain.values


def test_a_preset_replaces_the_preset_of_a_bound_domain():
    """Other parameters of the bound domain stay."""
    bound = sl.domain(GAME, n=7, p2=0.25)
    assert sl.domain(bound, loud=True).values == {"n": 7, "p2": 0.25, "loud": True}
    assert sl.domain(bound, preset="fair").values == {"n": 4, "p2": 0.5, "loud": True}


def test_an_unknown_preset_is_refused():
    """The error lists the presets; a domain without presets has no such parameter."""
    with pytest.raises(sl.UsageError, match="domain walk has no preset 'fare': did you mean 'fair'"):
        sl.domain(GAME, preset="fare")
    with pytest.raises(sl.UsageError, match="domain walk has no parameter 'preset'"):
        sl.domain(WALK, preset="fair")
    with pytest.raises(sl.UsageError, match="preset is given twice, cs61b and classic"):
        sl.domain("2048-random:preset=cs61b", preset="classic")


def test_components_of_a_domain_serve_similar_domains():
    """Heuristics, generators and players do; the reverse is refused."""
    assert sl.heuristic("snake", domain="2048-random")(sl.Board([[2, 4], [0, 0]])) == 2
    assert sl.generator("scattered", domain="2048-random:n=3")(1).n == 3
    made_for = sl.Player("p", lambda board, moves: moves[0].action, domains={"2048"})
    assert sl.play(domain="2048-random", player=sl.player(made_for, domain="2048-random")).status == "dead"
    with pytest.raises(sl.UsageError, match="'p' is made for 2048-random, not for 2048"):
        sl.player(dataclasses.replace(made_for, domains={"2048-random"}), domain="2048")
    with pytest.raises(sl.UsageError, match=r"'taxicab' is made for sliding-tile, not for 2048-random; .* snake"):
        sl.heuristic("taxicab", domain="2048-random")
