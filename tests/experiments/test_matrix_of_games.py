"""The matrix of an experiment of games: who plays what with which seeds, and why the others do not."""

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.components import fingerprints_of
from searchlab.experiments.matrix import matrix
from searchlab.experiments.specification import Exclusion, Experiment, read_experiment

ROOT = Path(__file__).parents[2]
PLAYERS = Path(__file__).parents[1] / "plugin_files" / "players_of_all_sorts.py"


@pytest.fixture(scope="module")
def plugins():
    return sl.Plugins(files=[str(PLAYERS)])


def made(plugins, **experiment):
    """Return the matrix of an experiment."""
    return matrix(Experiment(**experiment), plugins)


def reasons(found):
    """Return what was skipped and how often, by reason."""
    return {each.reason: (each.count, each.what) for each in found.skipped}


def test_without_boards_games_begin_as_their_domain_says(plugins):
    """Each player plays each seed in each domain; by default the game that is played by default, with seed 0."""
    found = made(plugins, players=["random", "greedy"], domains=["2048-random", "2048-random:n=3"], seeds=[4, 5])
    assert [(run.parts["domain"], run.parts["player"], run.seed) for run in found.runs] == [
        (domain, player, seed)
        for domain in ("2048-random", "2048-random:n=3")
        for player in ("random", "greedy")
        for seed in (4, 5)
    ]
    assert all(run.instance.is_opening for run in found.runs)
    assert (found.boards, found.players, found.skipped) == (0, ("random", "greedy"), [])
    (run,) = made(plugins, players=["greedy"]).runs
    assert (run.parts["domain"], run.seed) == ("2048-random", 0)


def test_boards_are_played_in_the_game_they_are_of(plugins):
    """By what is said beside them."""
    found = made(plugins, boards=["2048/board10", "sliding-tile/puzzle8-20"], players=["random"], seeds=[1])
    assert [(run.instance.name, run.parts["domain"]) for run in found.runs] == [
        ("2048/board10", "2048"),
        ("sliding-tile/puzzle8-20", "sliding-tile"),
    ]


def test_what_makes_no_sense_is_skipped_with_its_reason(plugins):
    """Players and heuristics of other games, domains without a start board, exclusions, and what is the same again."""
    found = made(
        plugins,
        domains=["2048-random", "sliding-tile"],
        players=["spins", "greedy:heuristic=taxicab", "greedy", "greedy:heuristic=smooth", "random"],
        seeds=[1, 2],
        exclude=[Exclusion(player="random"), Exclusion(player="greedy:heuristic=snake")],
    )
    assert [
        (run.parts["domain"], run.parts["player"]) for run in found.runs if run.parts["domain"] == "2048-random"
    ] == [
        *[("2048-random", "spins")] * 2,
        *[("2048-random", "greedy")] * 2,
    ]
    said = reasons(found)
    assert said["named twice: it runs once"] == (2, ("greedy:heuristic=smooth is greedy",))
    assert said["excluded: player random"][0] >= 2
    (of_others,) = [what for reason, (_, what) in said.items() if "'taxicab' is made for sliding-tile" in reason]
    assert of_others == ("greedy:heuristic=taxicab on 2048-random",)
    assert found.unused == ("player greedy:heuristic=snake",)
    assert found.combinations == 20


def test_where_nothing_is_left_to_chance_a_game_is_played_once(plugins):
    """The same moves lead to the same boards, whatever the seed."""
    found = made(plugins, domains=["2048"], players=["greedy", "random", "counts"], seeds=[1, 2, 3])
    assert [(run.parts["player"], run.seed) for run in found.runs] == [
        ("greedy", None),
        *(("random", seed) for seed in (1, 2, 3)),
        *(("counts", seed) for seed in (1, 2, 3)),
    ]
    assert reasons(found) == {"nothing in it takes a seed: it runs once, without one": (2, ("greedy",))}


def test_the_code_of_player_heuristic_and_domain_is_part_of_a_game(plugins):
    """So is a heuristic in a file of one's own, whose folder does not count."""
    (run,) = made(plugins, players=["spins"], seeds=[1]).runs
    assert set(run.plugins) == {"players_of_all_sorts", "searchlab/twenty48"}
    assert run.plugins == fingerprints_of(run.parts, plugins)
    hangs = PLAYERS.with_name("hangs.py")
    (run,) = made(plugins, players=[f"greedy:heuristic=[{hangs}:hoards]"], seeds=[1]).runs
    assert set(run.plugins) == {"searchlab/players", "hangs", "searchlab/twenty48"}


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("gredy", r"^players: .*did you mean 'greedy'"),
        ("greedy:depth=3", r"^players: player greedy has no parameter 'depth'"),
        ("greedy:heuristic=snail", r"^players: .*snail"),
        ("expectimax:depth=deep", r"^players: player expectimax: depth is a number, not 'deep'"),
    ],
)
def test_a_player_that_stands_for_nothing_is_refused(plugins, player, message):
    """Before anything is played."""
    with pytest.raises(UsageError, match=message):
        made(plugins, players=["random", player])


def test_the_experiment_on_smooth():
    """Every coefficient as it is, left out and doubled; all play the same games."""
    found = matrix(read_experiment(ROOT / "experiments" / "smooth.toml"), sl.Plugins())
    varied = {"merges": 1400, "monotonicity": 50, "blanks": 850, "total": 22.6}
    before = "expectimax:heuristic=[smooth:blanks=270,monotonicity=47,steepness=4,total=11,growth=3.5],depth=2"
    players = {f"smooth:{name}={value}" for name, doubled in varied.items() for value in (0, doubled)}
    assert set(found.players) == {
        "expectimax:depth=2",
        before,
        *(f"expectimax:heuristic=[{h}],depth=2" for h in players),
    }
    assert {(run.parts["player"], run.seed) for run in found.runs} == {
        (player, seed) for player in found.players for seed in range(1, 31)
    }
    assert found.skipped == []
    own = {parameter.name: parameter.default for parameter in sl.heuristic("smooth").component.own_parameters()}
    assert {name: doubled / 2 for name, doubled in varied.items()} == {name: own[name] for name in varied}
