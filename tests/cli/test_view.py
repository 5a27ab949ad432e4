"""`searchlab view` writes a page, or a strip of boards, of a solution, a run or a game."""

import json
import re
import webbrowser
from xml.etree import ElementTree

import pytest

import searchlab as sl
from searchlab.cli import view
from searchlab.model.limits import parse_seconds
from tests.games.test_programs import command


@pytest.fixture(scope="module")
def experiments(tmp_path_factory):
    """An experiment of three searches, one of which reached its limit, and one of two games."""
    folder = tmp_path_factory.mktemp("experiments")
    boards = ["sliding-tile/puzzle8-20"]
    sl.run(sl.Experiment(boards=boards, frontiers=["astar", "greedy"]), folder=folder / "searches", workers=1)
    limited = sl.Experiment(
        boards=boards, heuristics=["misplaced"], frontiers=["astar"], limits=sl.Limits(expansions=5)
    )
    sl.run(limited, folder=folder / "searches", workers=1)
    games = sl.Experiment(players=["greedy"], domains=["2048-random"], seeds=[1, 2], most_moves=40)
    sl.run(games, folder=folder / "games", workers=1)
    (folder / "game.json").write_text(json.dumps(sl.play(player="random", most_moves=3).as_dict()))
    return folder


def content(path):
    """The data in a page."""
    found = re.search(r'id="recording">(.*?)</script>', path.read_text(encoding="utf-8"))
    return json.loads(found[1])


def test_a_board_is_solved_and_shown(run, folder):
    """The page is called as the board is, and lies in the current folder."""
    ran = run("view", "sliding-tile/puzzle8-20")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "solved in 20 moves, optimal\nwritten to puzzle8-20.html\n"
    page = content(folder / "puzzle8-20.html")
    assert len(page["moves"]) == 20
    assert [curve["name"] for curve in page["curves"]] == ["h", "to go", "f"]


@pytest.mark.slow
def test_view_searches_like_solve(run, folder):
    options = ("--domain", "2048", "--goal", "128", "--heuristic", "snake", "--frontier", "weighted-astar")
    run("view", *options, "--time-limit", "30s", "--output", "page.html")
    solved = run("solve", *options, "--json").json
    page = content(folder / "page.html")
    assert [page["names"][move] for move in page["moves"]] == solved["actions"]
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert (
        "searchlab view --domain 2048 --goal 128 --heuristic snake --frontier weighted-astar --time-limit 30s" in text
    )


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("sliding-tile/puzzle8-31", "--max-expansions", "3"), 3, "expansion-limit: no solution found within 3"),
        (("unsolvable.txt", "--domain", "sliding-tile"), 1, "unsolvable: from this board 1 2 3"),
        (("sliding-tile/puzzle8-20", "--heuristic", "bad.py:bad"), 4, "heuristic bad"),
    ],
)
def test_a_board_without_a_solution_has_no_page(run, folder, arguments, code, said):
    """The exit code is that of `solve`."""
    (folder / "unsolvable.txt").write_text("3\n1 2 3\n4 5 6\n8 7 0\n")
    (folder / "bad.py").write_text("def bad(tiles):\n    raise ValueError('no')\n")
    ran = run("view", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert not list(folder.glob("*.html"))


@pytest.mark.slow
def test_one_run_of_an_experiment_is_shown(run, folder, experiments):
    """Chosen by conditions, or by its quality; its page is not that of the experiment's report."""
    searches = experiments / "searches"
    ran = run("view", searches, "--where", "frontier=greedy")
    assert re.search(r"× the optimum\nwritten to searches-run\d\.html\n$", ran.out)
    assert run("view", searches, "--run", "2").out.endswith("written to searches-run2.html\n")
    assert not (folder / "searches.html").exists()
    assert run("view", searches, "--best").out.startswith("solved in 20 moves, optimal\n")
    assert run("view", searches, "--worst").out.startswith(ran.out.splitlines()[0])


def test_the_page_has_the_command_that_made_it(run, folder, experiments):
    """With the number of the run."""
    assert run("view", experiments / "searches", "--run", "2", "--output", "second.html").code == 0
    assert f"searchlab view {experiments / 'searches'} --run 2" in (folder / "second.html").read_text(encoding="utf-8")


def test_a_recorded_game_is_shown(run, folder, experiments):
    """It is played again from its record."""
    ran = run("view", experiments / "games", "--where", "seed=2", "--output", "game.html")
    played = sl.play(player="greedy", seed=2, most_moves=40)
    ended = f"stopped after 40 moves, score {played.score:g}, which is the limit"
    assert ran.out == f"{ended}\nwritten to game.html\n"
    page = content(folder / "game.html")
    assert [page["names"][move] for move in page["moves"]] == list(played.actions)
    assert page["curves"][0]["values"][-1] == played.score
    best = run("view", experiments / "games", "--best")
    assert best.code == 0


def test_a_game_of_play_is_shown(run, folder, monkeypatch):
    """The moves and events in the output of `play --json` are played again by the rules."""
    run("play", "--player", "greedy", "--seed", "3", "--max-moves", "30", "--json", "--output", "game.json")
    monkeypatch.setenv("COLUMNS", "40")
    ran = run("view", "game.json", "--advise", "greedy:heuristic=empty", "--threshold", "9")
    assert max(map(len, ran.out.splitlines())) <= 40
    said = " ".join(ran.out.split())
    assert said.endswith(" written to game.html")
    assert " no loss of 9 or more by the values of greedy:heuristic=empty" in said
    page = content(folder / "game.html")
    played = sl.play(player="greedy", seed=3, most_moves=30)
    assert said.startswith(f"stopped after 30 moves, score {played.score:g}, which is the limit ")
    assert [page["names"][move] for move in page["moves"]] == list(played.actions)
    assert page["curves"][0]["values"][-1] == played.score


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"actions": ["left", "jump"]}, "each move has the events after it"),
        ({"actions": ["jump"] * 4}, "move 1 of the recorded game, jump, is no move of 2048-random there"),
        ({"score": 1e9}, "by the rules of 2048-random the game has another score or board than was recorded"),
        ({"events": [["nonsense"]] * 4}, "is not an event"),
        ({"events": 7}, "not a game as searchlab play --json writes it: Expected `array`, got `int`"),
        ({"domain": "2048-radnom"}, "did you mean '2048-random'?"),
        ({"start": []}, "game.json: "),
    ],
)
def test_an_invalid_game_file_is_refused(run, folder, change, said):
    game = sl.play(player="greedy", seed=3, most_moves=4).as_dict()
    (folder / "game.json").write_text(json.dumps({**game, **change}))
    error = run("view", "game.json").error
    assert error.startswith("game.json: ")
    assert said in error
    assert not (folder / "game.html").exists()


def test_a_player_judges_a_recorded_game(run, folder, experiments):
    """The page has the values of all moves and the command that makes it again; the output names the largest loss."""
    options = ("--where", "seed=2", "--advise", "greedy:heuristic=empty", "--threshold", "2")
    ran = run("view", experiments / "games", *options, "--output", "game.html")
    losses = " ".join(ran.out.splitlines()[1:-1])
    assert (ran.code, ran.err) == (0, "")
    assert re.fullmatch(r"\d+ losses of 2 or more by the values of greedy:heuristic=empty, the largest at .*", losses)
    page = content(folder / "game.html")["analysis"]
    assert (len(page["positions"]), page["threshold"]) == (40, 2)
    assert "--advise greedy:heuristic=empty --threshold 2" in (folder / "game.html").read_text(encoding="utf-8")


def test_an_adviser_may_have_a_time_per_move(run, folder, experiments):
    games = experiments / "games"
    ran = run("view", games, "--best", "--advise", "expectimax", "--time-per-move", "1ms", "--memory-limit", "2GB")
    assert "by the values of expectimax:seconds=0.001,heuristic=ntuple" in " ".join(ran.out.split())
    (page,) = folder.glob("games-run*.html")
    assert "--time-per-move 0.001s" in page.read_text(encoding="utf-8")


def test_a_script_without_a_game_is_not_viewed(run, folder, write):
    """Empty, or with comments only."""
    for text in ("", "# nothing\n"):
        assert run("view", write("mine.script", text)).error == "mine.script: no game is recorded in it"
    assert not (folder / "mine.html").exists()


def test_a_program_advises_without_values(run, folder, experiments):
    """It has other moves instead of losses, and a threshold has no effect."""
    bot = f"program:command=[{command('last')}]"
    ran = run("view", experiments / "games", "--where", "seed=2", "--advise", bot, "--output", "game.html")
    assert re.search(r" would make another move in \d+ of 40 positions", " ".join(ran.out.split()))
    assert (ran.code, ran.err) == (0, "")
    page = content(folder / "game.html")["analysis"]
    assert (page["has_values"], len(page["positions"])) == (False, 40)
    ran = run("view", experiments / "games", "--best", "--advise", "random", "--threshold", "1")
    assert (ran.code, "player random gave no values of moves, so the threshold has no effect" in ran.err) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("{games}", "--best", "--advise", "nobody"), "no player is called 'nobody'"),
        (("{games}", "--best", "--advise", "greedy", "--svg"), "--advise cannot be combined with --svg"),
        (("{games}", "--best", "--advise", "greedy", "--time-per-move", "1s"), "greedy has no parameter seconds"),
        (
            ("{games}", "--best", "--advise", "greedy", "--threshold", "inf"),
            "a threshold is a finite number, 0 or more",
        ),
        (("{games}", "--best", "--threshold", "1"), "--threshold needs --advise"),
        (("{games}", "--best", "--time-per-move", "1s"), "--time-per-move needs --advise"),
        (("{searches}", "--best", "--advise", "greedy"), "--advise is for a game"),
        (("2048/board10", "--advise", "greedy"), "--advise is for a game that was played"),
        (("nothing.trace.json", "--advise", "greedy"), "--advise is not for a trace"),
    ],
)
def test_invalid_options_of_advice_are_refused(run, folder, experiments, arguments, said):
    """No file is written."""
    places = {"games": experiments / "games", "searches": experiments / "searches"}
    assert said in run("view", *(argument.format(**places) for argument in arguments)).error
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("{searches}",), "2 runs are meant, which differ in frontier: say which with --run, --where, or --best"),
        (
            ("{searches}", "--where", "frontier=none"),
            "none of its 3 runs meets the conditions; searchlab results lists them",
        ),
        (("{searches}", "--where", "status=expansion-limit"), "no run that is meant has moves to be shown"),
        (("{searches}", "--heuristic", "taxicab"), "--heuristic is for a board"),
        (("{searches}", "--best", "--worst"), "--best and --worst exclude each other"),
        (("2048/board10", "--best"), "--best chooses a run of an experiment, and 2048/board10 is a board"),
        (("2048/board10", "--where", "a=1"), "--where chooses a run of an experiment"),
        (("{game}", "--best"), "--best chooses a run of an experiment, and"),
        (("{game}", "--heuristic", "snake"), "--heuristic is for a board, and"),
        (("2048/board10", "--trace-limit", "5"), "--trace-limit is for --search"),
        (("2048/board10", "--against", "astar"), "--against is for --search"),
        (("2048/board10", "--search", "--against", "nothing"), "no frontier is called 'nothing'"),
        (("2048/board10", "--search", "--svg"), "--search draws boards its own way: --svg is for a solution"),
        (("2048/board10", "--search", "--renderer", "box"), "--renderer is for a solution"),
        (("{searches}", "--search"), "--search is for a board"),
        (("{game}", "--search"), "--search is for a board"),
        (("2048/board10", "--svg", "--renderer", "box"), "--svg draws tiles: a --renderer draws text"),
        (("2048/board10", "--moves", "2-3"), "--moves is for --svg"),
        (("2048/board10", "--svg", "--moves", "2-9"), "--moves 2-9: there are moves 1 to 3"),
        (("2048/board10", "--svg", "--moves", "3-2"), "--moves 3-2: there are moves 1 to 3"),
        (("2048/board10", "--svg", "--moves", "two"), "--moves is FIRST-LAST like 5-12, a number, or 40-, not 'two'"),
        (("2048/board10", "--renderer", "nobody"), "nobody"),
        (("2048/board10", "--output", "nowhere/page.html"), "there is no folder nowhere"),
        (("2048/board10", "--output", "."), "a directory"),
        (("2048/nothing",), "no such file"),
        (("--domain", "2048-random"), "2048-random"),
    ],
)
def test_invalid_arguments_are_refused_without_a_file(run, folder, experiments, arguments, said):
    places = {"searches": experiments / "searches", "game": experiments / "game.json"}
    assert said in run("view", *(argument.format(**places) for argument in arguments)).error
    assert list(folder.iterdir()) == []


def test_a_strip_is_written_as_svg(run, folder):
    """Asked for, or by the ending of the file."""
    run("view", "2048/board10", "--svg")
    run("view", "2048/board10", "--output", "strip.SVG")
    assert (folder / "board10.svg").read_bytes() == (folder / "strip.SVG").read_bytes()
    assert ElementTree.parse(folder / "board10.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(("moves", "notes"), [("2-3", ["1. down", "2. down", "3. down"]), ("1", ["start", "1. down"])])
def test_a_strip_of_some_moves(run, folder, moves, notes):
    """From the board before the first one to the board after the last one."""
    run("view", "2048/board10", "--svg", "--moves", moves)
    nodes = ElementTree.parse(folder / "board10.svg").getroot().iter()
    assert [node.text for node in nodes if node.get("class") == "note"] == notes


def test_a_renderer_draws_the_boards(run, folder):
    """As text; one that fails is left out, and a warning says so."""
    run("view", "2048/board10", "--renderer", "box")
    assert content(folder / "board10.html")["pictures"][0].startswith("┌──────┬")
    (folder / "fails.py").write_text(
        "from searchlab import Renderer, hookimpl\n\n\n"
        "@hookimpl\ndef searchlab_renderers():\n    yield Renderer('fails', lambda board: 1 // 0)\n"
    )
    ran = run("--plugin", "fails.py", "view", "2048/board10", "--renderer", "fails")
    assert ran.code == 0
    assert "boards are drawn without it" in ran.err
    assert "boards" in content(folder / "board10.html")


def test_colours_of_a_renderer_are_left_out(run, folder):
    """A page shows no escape sequences."""
    (folder / "red.py").write_text(
        "from searchlab import Renderer, hookimpl\n\n\n@hookimpl\ndef searchlab_renderers():\n"
        "    yield Renderer('red', lambda board: '\\x1b[31mred\\x1b[0m\\x07')\n"
    )
    run("--plugin", "red.py", "view", "2048/board10", "--renderer", "red")
    assert content(folder / "board10.html")["pictures"][0] == r"red\x07"


def test_a_page_is_opened_in_the_browser(run, folder, monkeypatch):
    """A line says if there is no browser."""
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or len(opened) == 1)
    assert run("view", "2048/board10", "--open").err == ""
    assert opened == [(folder / "board10.html").as_uri()]
    assert run("view", "2048/board10", "--open").err == "searchlab: no browser was found to open board10.html\n"


@pytest.mark.parametrize("name", ["<script>alert(1)<!--", "a b & c", "-"])
def test_odd_names_of_boards_are_names_of_files(run, folder, monkeypatch, name, board10):
    """Nothing in them is markup or a path."""
    import io
    import sys

    text = board10.text()
    if name == "-":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    else:
        (folder / name).write_text(text)
    ran = run("view", name, "--domain", "2048")
    assert ran.code == 0, ran
    (page,) = folder.glob("*.html")
    assert "<script>alert" not in page.read_text(encoding="utf-8")


def test_a_search_is_shown_step_by_step(run, folder):
    """In one command; with the exit code of `solve`, also where there is no solution."""
    ran = run("view", "sliding-tile/puzzle8-20", "--search", "--frontier", "greedy", "--trace-limit", "100")
    assert (ran.code, ran.err) == (
        0,
        "searchlab: shown are the first 100 steps (--trace-limit); the search went on\n",
    )
    assert ran.out.endswith("(the known optimum is 20)\nwritten to puzzle8-20.html\n")
    text = (folder / "puzzle8-20.html").read_text(encoding="utf-8")
    assert 'id="trace"' in text
    assert "the first 100 events" in text
    ran = run("view", "sliding-tile/puzzle8-31", "--search", "--max-expansions", "9")
    assert (ran.code, ran.out) == (
        3,
        "expansion-limit: no solution found within 9 expansions; none costs less than 23\nwritten to puzzle8-31.html\n",
    )
    (folder / "bad.py").write_text("def bad(tiles):\n    raise ValueError('no')\n")
    ran = run("view", "sliding-tile/puzzle8-20", "--search", "--heuristic", "bad.py:bad", "--output", "x.html")
    assert (ran.code, (folder / "x.html").exists()) == (4, False)
    assert "heuristic bad" in ran.err


def test_two_frontiers_are_shown_side_by_side(run, folder):
    """In one command; the exit code is that of the first."""
    ran = run("view", "sliding-tile/puzzle8-20", "--search", "--against", "ida-star")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "astar: solved in 20 moves, optimal\nida-star: solved in 20 moves, optimal\nwritten to puzzle8-20.html\n"
    )
    text = (folder / "puzzle8-20.html").read_text(encoding="utf-8")
    assert "<p>astar and ida-star</p>" in text
    assert re.search(r"at most open</th><td>\d+</td><td>–</td>", text)


def test_a_trace_is_written_and_followed(run, folder):
    """The result is that of the search without it."""
    plain = run("solve", "sliding-tile/puzzle8-20", "--engine", "readable", "--json").json
    ran = run("solve", "sliding-tile/puzzle8-20", "--trace", "search.trace.json", "--json")
    assert (ran.code, ran.err) == (0, "")
    different = {"seconds", "cpu_seconds", "solutions"}
    assert {key: value for key, value in ran.json.items() if key not in different} == {
        key: value for key, value in plain.items() if key not in different
    }
    trace = json.loads((folder / "search.trace.json").read_text())
    assert trace["searchlab"]["name"] == "sliding-tile/puzzle8-20"
    assert run("view", "search.trace.json").out == "written to search.html\n"
    assert "<title>sliding-tile/puzzle8-20</title>" in (folder / "search.html").read_text(encoding="utf-8")


def test_two_traces_of_a_board_are_side_by_side(run, folder):
    """In a page that is called as both are; of two boards it is refused."""
    for frontier in ("greedy", "beam:width=5"):
        run("solve", "sliding-tile/puzzle8-20", "--frontier", frontier, "--trace", f"{frontier[:4]}.trace.json")
    run("solve", "sliding-tile/puzzle8-31", "--frontier", "greedy", "--trace", "other.trace.json")
    assert run("view", "gree.trace.json", "beam.trace.json").out == "written to gree-beam.html\n"
    text = (folder / "gree-beam.html").read_text(encoding="utf-8")
    assert "<p>greedy and beam:width=5</p>" in text
    assert "the two searches are of different boards" in run("view", "gree.trace.json", "other.trace.json").error


def figures(text):
    """The line with what was expanded and generated."""
    return next(line for line in text.splitlines() if " expanded" in line).partition(" · at most")[0]


def test_a_cut_trace_is_reported(run, folder):
    """The search continues compiled, and expands the same nodes."""
    ran = run("solve", "sliding-tile/puzzle8-20", "--trace", "search.trace.json", "--trace-limit", "100")
    assert (ran.code, ran.err) == (
        0,
        "searchlab: search.trace.json: the first 100 events (--trace-limit); the search went on\n",
    )
    assert ran.out.startswith("solved in 20 moves, optimal\n")
    assert "compiled engine" in ran.out
    assert figures(ran.out) == figures(run("solve", "sliding-tile/puzzle8-20", "--engine", "readable").out)
    run("view", "search.trace.json")
    assert "the first 100 events" in (folder / "search.html").read_text(encoding="utf-8")


def test_a_search_is_traced_up_to_its_limit(run, folder):
    """The page says how it ended."""
    assert run("solve", "sliding-tile/puzzle8-31", "--max-expansions", "9", "--trace", "s.trace.json").code == 3
    assert run("view", "s.trace.json").code == 0
    assert "expansion-limit" in (folder / "s.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("solve", "--trace-limit", "5"), "--trace-limit is for --trace"),
        (("solve", "--trace", "search.json"), "search.json: the name of a trace ends in .trace.json"),
        (("solve", "--trace", "s.trace.json", "--engine", "compiled"), "--trace follows the readable engine"),
        (("solve", "--trace", "s.trace.json", "--batch", "10"), "one by one, not in batches"),
        (("solve", "--trace", "s.trace.json", "--frontier", "own.py:own"), "own.py"),
        (("view", "nothing.trace.json", "2048/board10"), "only two traces are viewed side by side, and 2048/board10"),
        (("view", "2048/board10", "nothing.trace.json"), "only two traces are viewed side by side, and 2048/board10"),
        (("view", "nothing.trace.json", "another.trace.json"), "nothing.trace.json: no such file"),
        (("solve", "--trace", "nowhere/s.trace.json"), "there is no folder nowhere"),
        (("view", "nothing.trace.json"), "nothing.trace.json: no such file"),
        (("view", "nothing.trace.json", "--heuristic", "snake"), "--heuristic is not for a trace"),
        (("view", "nothing.trace.json", "--search"), "--search is not for a trace"),
        (("view", "nothing.trace.json", "--where", "a=1"), "--where is not for a trace"),
        (("view", "nothing.trace.json", "--svg"), "--svg is not for a trace"),
    ],
)
def test_invalid_options_of_a_trace_are_refused(run, folder, arguments, said):
    """Before the search."""
    assert said in run(*arguments).error
    assert list(folder.iterdir()) == []


SCRIPT = "# game: 2048-random:n=3\nT 2 0 0\nT 2 2 2\nKRight\nT 4 0 0\nKNew Game\nT 2 0 0\nT 2 1 0\nKUp\nT 2 2 2\n"


def test_a_game_that_was_recorded_is_shown(run, folder, write):
    """The last one of a script; a player judges it as it does a game of an experiment."""
    write("mine.script", SCRIPT)
    ran = run("view", "mine.script", "--advise", "greedy")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("interrupted after 1 move, score 4\n")
    assert ran.out.endswith("written to mine.html\n")
    assert len(content(folder / "mine.html")["moves"]) == 1
    write("log.script", SCRIPT.partition("\n")[2])
    assert run("view", "log.script", "--domain", "2048-random:n=3").code == 0


@pytest.mark.parametrize(
    "options", [("2048/board10", "--preset", "classic"), ("grid-map/maze.scen#3",), ("--domain", "2048-random:n=3")]
)
def test_a_game_that_was_logged_is_shown(run, folder, options):
    """Its board, its domain and its static data are told in comments, which --testing skips."""
    logged = run("play", *options, "--player", "random", "--seed", 5, "--max-moves", 9, "--log").out
    (folder / "log.script").write_text(logged, encoding="utf-8")
    ran = run("view", "log.script")
    assert ran.code == 0, ran.err
    assert len(content(folder / "log.html")["moves"]) == 9
    without = "".join(line for line in logged.splitlines(keepends=True) if not line.startswith("#"))
    told, again = (run("play", *options, "--testing", stdin=script.encode()).out for script in (logged, without))
    assert (told, told.count("D ")) == (again, 9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.script",), "nowhere.script: no such file"),
        (("mine.script", "--heuristic", "snake"), "--heuristic is for a board, and mine.script is a game"),
        (("mine.script", "--best"), "--best chooses a run of an experiment, and mine.script is a game"),
        (("mine.script", "--domain", "2048-random:n=2"), "mine.script, line 3: "),
    ],
)
def test_invalid_arguments_for_a_recorded_game_are_refused(run, write, arguments, said):
    write("mine.script", SCRIPT)
    assert said in run("view", *arguments).error


@pytest.mark.parametrize("seconds", [1234567.0, 0.12345678, 1e-05, 90.0, 0.5])
def test_a_time_on_the_page_can_be_typed_again(seconds):
    """Its command is there to be repeated."""
    typed = view._typed("time_limit", seconds)
    assert parse_seconds(typed) == seconds
