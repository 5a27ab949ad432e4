"""The player and the heuristic of trained networks: with the network that ships."""

import pytest

import searchlab as sl


@pytest.mark.slow
def test_the_default_network_is_the_shipped_one():
    """It has learned to play: an untrained one earns about a thousand points."""
    games = [sl.play(player="ntuple", seed=seed) for seed in range(1, 21)]
    assert sum(game.score for game in games) > 20 * 80_000
    board = games[0].boards[1000]
    assert sl.heuristic("ntuple")(board) == sl.heuristic("ntuple", domain="2048-random:p2=0.8")(board) > 10_000


def test_the_shipped_network_is_for_boards_of_4_by_4():
    with pytest.raises(sl.UsageError, match="the network is for boards of 4 × 4, not of 3 × 3"):
        sl.play(player="ntuple", domain="2048-random:n=3")
