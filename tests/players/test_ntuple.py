"""The player and the heuristic of trained networks: with the network that ships."""

import pytest

import searchlab as sl


@pytest.mark.slow
def test_without_a_file_it_is_the_network_that_ships():
    """It has learned to play: a network that has not comes to about a thousand points a game."""
    games = [sl.play(player="ntuple", seed=seed) for seed in range(1, 21)]
    assert sum(game.score for game in games) > 20 * 80_000
    board = games[0].boards[1000]
    assert sl.heuristic("ntuple")(board) == sl.heuristic("ntuple", domain="2048-random:p2=0.8")(board) > 10_000


def test_it_is_for_four_by_four():
    """Networks for other boards are trained."""
    with pytest.raises(sl.UsageError, match="the network is for boards of 4 × 4, not of 3 × 3"):
        sl.play(player="ntuple", domain="2048-random:n=3")
