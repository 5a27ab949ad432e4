"""How a result and a game look: in a line, in a few lines, and in a notebook."""

import html5lib
import pytest

import searchlab as sl

LONG = "x" * 10_000


@pytest.fixture(scope="module")
def solved():
    board = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    return sl.solve(board, domain="sliding-tile", engine="readable")


@pytest.fixture(scope="module")
def game():
    return sl.play(player="random", seed=7, most_moves=40)


def failed(message):
    """The result of a search whose heuristic raises an error."""

    def heuristic(tiles):
        raise ValueError(message)

    return sl.solve(heuristic=heuristic, engine="readable")


def parsed(shown):
    """The HTML as a tree, strictly; it is no page of its own."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(shown)


def test_a_solution_in_a_line(solved):
    """The outcome comes first, then the components and the figures."""
    line = repr(solved)
    assert line.startswith("<Result: solved in 3 moves, optimal; sliding-tile · taxicab · astar · 3 expanded · ")
    assert "\n" not in line


def test_a_solution_in_words(solved):
    """The output of `searchlab solve`, with the moves below."""
    headline, setting, figures, took, _, moves = str(solved).splitlines()
    assert (headline, moves) == ("solved in 3 moves, optimal", "right, down, right")
    assert setting == "sliding-tile · taxicab · astar · readable engine"
    assert figures.startswith("3 expanded · ")
    assert took.endswith("KiB")


def test_a_search_that_need_not_be_done_has_no_figures():
    """The board is known to be unsolvable."""
    result = sl.solve(sl.Board([[2, 1], [3, 0]]), domain="sliding-tile")
    assert str(result).splitlines()[0].startswith("unsolvable: from this board 1 2 / 3 0 cannot")
    assert "expanded" not in repr(result)


@pytest.mark.slow
def test_a_limit_is_named():
    """A result does not know the limit, but how long it took."""
    result = sl.solve(sl.read_board("sliding-tile/puzzle8-31"), domain="sliding-tile", limits=sl.Limits(expansions=9))
    assert str(result).startswith("expansion-limit: no solution found within ")


def test_a_solution_in_a_notebook_shows_every_board_and_move(solved):
    """The boards side by side, each above its move; nothing of it is a script."""
    shown = solved._repr_html_()
    tree = parsed(shown)
    assert tree.find(".//strong").text == "solved in 3 moves, optimal"
    boards = [box for box in tree.iter("div") if box.get("role") == "img"]
    assert len(boards) == 4
    text = "".join(tree.itertext())
    for caption in ("start", "1. right", "2. down", "3. right"):
        assert caption in text
    assert not {"script", "style", "svg", "img"} & {
        element.tag for element in tree.iter() if isinstance(element.tag, str)
    }


def test_of_a_long_game_the_first_and_last_boards_are_shown(game):
    """The number of the others stands between them."""
    shown = game._repr_html_()
    text = "".join(parsed(shown).itertext())
    assert "⋯ 30 more" in text
    assert "40. " in text
    assert len(shown) < 30_000


def test_a_game_in_a_line_and_in_words(game):
    """Its score, its player and its seed; in words also the last board."""
    line = repr(game)
    assert line.startswith(f"<Game: stopped after 40 moves, score {game.score:g}, which is the limit; largest tile ")
    assert line.endswith("2048-random · random · seed 7>")
    assert str(game).endswith(str(game.boards[-1]))
    assert "moves/s" in str(game)


def test_html_in_a_reason_is_escaped():
    """Control characters are, too."""
    result = failed("<script>alert(1)</script>\x1b[31m")
    tree = parsed(result._repr_html_())
    assert "<script>alert(1)</script>\\x1b[31m" in tree.find(".//pre").text
    assert list(tree.iter("script")) == []
    assert "\x1b" not in str(result) + repr(result)


def test_a_long_reason_is_cut_in_a_line_and_whole_in_a_notebook():
    """There it is scrolled."""
    result = sl.Result("error", sl.Board([[0]]), "a", "b", "c", reason=f"{LONG}\n1\n 0")
    assert len(repr(result)) < 300
    assert len(str(result)) < 400
    assert LONG in result._repr_html_()


def test_html_in_names_is_escaped():
    """Names of domains, heuristics, frontiers, moves and players."""
    board, evil = sl.Board([[0]]), '"><img src=x onerror=alert(1)>'
    result = sl.Result(
        "solved", board, evil, evil, evil, moves=1, cost=1.0, actions=(evil,), states=(board, board), stored=1
    )
    game = sl.Game("dead", board, (), (sl.Turn(evil, board, 1, 0, (), board),), "", 0.1, evil, evil, 0)
    for shown in (result._repr_html_(), game._repr_html_()):
        assert "<img" not in shown
        assert evil in "".join(parsed(shown).itertext())


def test_large_boards_make_a_short_strip():
    """Few of them, and each without its middle."""
    board = sl.Board([[1 + row * 40 + column for column in range(40)] for row in range(40)])
    result = sl.Result("solved", board, "d", "h", "f", moves=9, cost=9.0, actions=("up",) * 9, states=(board,) * 10)
    assert len(result._repr_html_()) < 120_000
