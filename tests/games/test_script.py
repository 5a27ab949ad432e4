"""Scripts and transcripts of games, against transcripts that were checked by hand and a referee of its own."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import MachineError, UsageError
from searchlab.games.game import GameSeries, random_source
from searchlab.games.script import (
    NEW_GAME,
    QUIT,
    EndOfScript,
    Log,
    Script,
    ScriptFile,
    continued,
    key_of,
    press,
    replay,
)
from searchlab.model.randomness import Randomness

GOLDEN = Path(__file__).parents[1] / "golden" / "event_scripts"
SCRIPTS = sorted(GOLDEN.glob("*.script"))
EXAMPLE = "C\nC\nA 2 2 3\nA 2 3 0\nD 0 0 0 0 0 0 0 0 0 0 2 0 0 0 2 0 0 0\nA 2 3 3\n"
TURNS = {"Left": 0, "Up": 1, "Right": 2, "Down": 3}


def transcript(script, domain="2048-random:preset=cs61b", start=None):
    lines = []
    replay(Script(script.splitlines(), "script"), sl.domain(domain), lines.append, start)
    return lines


def rotated(rows):
    return [list(row) for row in zip(*rows, strict=True)][::-1]


def merged(row):
    """A row slid to the left, and what that earns."""
    tiles, points = [tile for tile in row if tile], 0
    for k in range(len(tiles)):
        if k + 1 < len(tiles) and tiles[k] == tiles[k + 1]:
            tiles[k : k + 2] = [2 * tiles[k]]
            points += tiles[k]
    return tiles + [0] * (len(row) - len(tiles)), points


def tilted(rows, key):
    for _ in range(TURNS[key]):
        rows = rotated(rows)
    slid = [merged(row) for row in rows]
    rows = [row for row, _ in slid]
    for _ in range(-TURNS[key] % 4):
        rows = rotated(rows)
    return rows, sum(points for _, points in slid)


def over_by_goal(rows):
    return max(map(max, rows)) >= 2048


def over(rows):
    return over_by_goal(rows) or all(tilted(rows, key)[0] == rows for key in TURNS)


def refereed(script, n=4):
    """The transcript of a script without errors, by another reading of the rules: nested lists, and one loop."""
    out, best = ["C"], 0
    lines = [line.split("#")[0].strip() for line in script.splitlines()]
    events = iter([line for line in lines if line])

    def add():
        for event in events:
            if event[0] == "T":
                value, row, column = map(int, event[1:].split())
                if not rows[row][column]:
                    rows[row][column] = value
                    out.append(f"A {value} {row} {column}")
                    return True
        return False

    while True:
        out.append("C")
        rows, score = [[0] * n for _ in range(n)], 0
        if not add() or (not over_by_goal(rows) and not add()):
            return out
        while True:
            if is_over := over(rows):
                best = max(best, score)
                out.append(f"E {score} {best}")
            moved = False
            for event in events:
                key = event[1:]
                if event[0] == "T" or (is_over and key not in ("New Game", "Quit")):
                    continue
                if key in ("New Game", "Quit"):
                    break
                if key in TURNS and tilted(rows, key)[0] != rows:
                    rows, points = tilted(rows, key)
                    tiles = " ".join(str(tile) for row in rows for tile in row)
                    out.append(f"D {score} {best} {tiles}")
                    score, moved = score + points, True
                    break
            else:
                return out
            if key == "Quit":
                return out
            if key == "New Game":
                break
            if moved and not over_by_goal(rows) and not add():
                return out


def recorded(domain, moves, seed, games=2, start=None):
    """The script and the transcript of games that are played while they are recorded."""
    domain = sl.domain(domain)
    script = []
    log = Log(script.append, {})
    series = GameSeries(domain, random_source(domain, sl.Randomness(seed)), start, log)
    keys = iter(moves)
    played = []
    for game in range(games):
        if game:
            log.pressed(NEW_GAME)
            series.begin()
        for key in keys:
            log.pressed(key)
            press(series, key)
            if series.is_over:
                break
        played.append((series.start, series.opening, tuple(series.turns), series.score))
    log.pressed(QUIT)
    return "\n".join(script), played


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_transcripts_are_exact(path):
    """Of whole series of games, as they were checked by hand; the referee agrees."""
    script = path.read_text()
    n = 5 if path.stem.endswith("-5") else 4
    expected = path.with_suffix(".transcript").read_text().splitlines()
    assert refereed(script, n) == expected
    assert transcript(script, f"2048-random:preset=cs61b,n={n}") == expected


def test_golden_scripts_exist():
    assert len(SCRIPTS) >= 4


def test_the_example_of_the_course():
    """Word for word."""
    script = "T 2 2 3\nT 2 3 0\nKLeft\nT 2 3 3\n"
    assert "\n".join(transcript(script)) + "\n" == EXAMPLE
    assert (GOLDEN / "example.script").read_text() == script
    assert (GOLDEN / "example.transcript").read_text() == EXAMPLE


@given(seed=st.integers(0, 2**32), moves=st.lists(st.sampled_from(sorted(TURNS)), max_size=300), n=st.integers(4, 6))
def test_recorded_games_are_replayed(seed, moves, n):
    """The script of any games gives the transcript the referee writes, and the games themselves."""
    domain = f"2048-random:preset=cs61b,n={n}"
    script, played = recorded(domain, moves, seed)
    lines = transcript(script, domain)
    assert lines == refereed(script, n)
    assert lines.count("C") == 3
    final = played[-1][2][-1] if played[-1][2] else None
    moved = [line for line in lines if line[0] == "D"]
    assert len(moved) == sum(len(game[2]) for game in played)
    if final:
        assert moved[-1].split()[3:] == [str(tile) for tile in final.after.tiles.ravel().tolist()]


@given(seed=st.integers(0, 2**32), moves=st.lists(st.sampled_from(sorted(TURNS)), max_size=60))
@pytest.mark.parametrize(
    "domain",
    ["2048-random:n=3", "2048-random:n=2,tiles=5", "2048-random:n=3,preset=tutorial", "2048:n=3", "sliding-tile"],
)
def test_other_games_are_recorded_and_replayed(domain, seed, moves):
    """Of any domain, of chance or not; a small board that is full at once draws nothing more."""
    start = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]) if domain.startswith("sliding") else None
    script, played = recorded(domain, moves, seed, start=start)
    drawn = [event for start, opening, turns, score in played for turn in turns for event in turn.events]
    drawn = sum((game[1] for game in played), ()), drawn
    lines = transcript(script, domain, start)
    assert len([line for line in lines if line[0] == "A"]) == len(drawn[0]) + len(drawn[1])
    assert len([line for line in lines if line[0] == "D"]) == sum(len(game[2]) for game in played)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("T 2 0 0\nT 2 4 0", "script, line 2: 2048-random: '2 4 0' is not an event: no tile at row 4, column 0"),
        ("# first\n\nT 3 0 0", "script, line 3: 2048-random: '3 0 0' is not an event: 3 is no power of two"),
        ("T 2 0", "script, line 1: 2048-random: '2 0' is not an event: a tile is given as value, row and column"),
        ("T", "script, line 1: 2048-random: '' is not an event"),
        ("T 2 0 0\nKUp", "script, line 2: the key Up in place of a line T with an event"),
        ("T 2 0 0\nKNew Game", "script, line 2: the key New Game in place of"),
        ("T 2 0 0\nT 2 0 1\nup", "script, line 3: 'up' is not a valid line: write T and an event, or K and a key"),
        ("TT 2 0 0", "script, line 1: 'TT 2 0 0' is not a valid line"),
    ],
)
def test_invalid_scripts_are_refused_with_the_line(script, said):
    """Comments count as lines."""
    with pytest.raises(sl.UsageError) as error:
        transcript(script)
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)


def test_unknown_keys_are_ignored():
    """Also if a tile is expected."""
    assert transcript("KHelp\nT 2 0 0\nKleft\nT 2 0 1\nKdown\nK\nKLeft\nT 2 3 3") == [
        *("C", "C", "A 2 0 0", "A 2 0 1"),
        "D 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        "A 2 3 3",
    ]


def test_the_end_of_the_script_is_quit():
    """Wherever it comes; a game that is not over does not count."""
    assert transcript("") == ["C", "C"]
    assert transcript("T 2 0 0") == ["C", "C", "A 2 0 0"]
    with pytest.raises(EndOfScript):
        list(Script([], "script").offers(sl.Board([[0]]), sl.domain("2048-random")))


def test_a_tile_that_ends_the_game_is_the_last():
    """Nothing is drawn after it, not even the second of the opening."""
    assert transcript("T 2048 0 0\nT 2 0 1\nKNew Game\nT 2 0 0\nT 2048 0 1") == [
        *("C", "C", "A 2048 0 0", "E 0 0", "C", "A 2 0 0", "A 2048 0 1", "E 0 0"),
    ]


def test_keys_are_named_after_moves():
    assert [key_of(action) for action in ("up", "left")] == ["Up", "Left"]


ODD_MOVES = ("ru", "rU", "Ru", "quit", "Quit", "New Game", "#1", " x ", "up", "Up", '"Up"', "")


@given(actions=st.sets(st.text(max_size=5) | st.sampled_from(ODD_MOVES)))
def test_every_move_has_a_unique_key_that_a_script_can_hold(actions):
    """In one line, which is no comment and no Quit, whatever the move is called."""
    keys = [key_of(action) for action in actions]
    script = Script([f"K{key}\n" for key in keys], "script")
    assert [script.key() for _ in keys] == keys
    assert len(set(keys)) == len(actions)
    assert not {NEW_GAME, QUIT}.intersection(keys)
    assert all(len(key.splitlines()) == 1 and key.encode() for key in keys)


def numbered(board):
    """Each move leads to a board of its own."""
    if board.tile_at(0, 0) == 0:
        yield from ((action, sl.Board([[number]])) for number, action in enumerate(ODD_MOVES, 1))


@pytest.mark.parametrize("number", range(1, len(ODD_MOVES) + 1))
def test_moves_with_odd_names_are_replayed(number):
    """Their case counts, and the words of scripts are moves like others."""
    domain = sl.domain(sl.Domain("odd", numbered, lambda board: False, start=lambda: sl.Board([[0]])))
    script: list[str] = []
    Log(script.append, {}).pressed(key_of(ODD_MOVES[number - 1]))
    lines: list[str] = []
    replay(Script(script, "script"), domain, lines.append)
    assert [line.split()[-1] for line in lines if line.startswith("D")] == [str(number)]


def test_keys_with_one_capital_letter_are_read():
    domain = sl.domain("sliding-tile")
    series = GameSeries(domain, lambda board: (), sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]))
    press(series, "Right")
    moves = [edge.action for edge in GameSeries(sl.domain("pancake"), lambda board: (), sl.Board([[2, 1, 3]])).edges]
    other = GameSeries(sl.domain("pancake"), lambda board: (), sl.Board([[2, 1, 3]]))
    press(other, moves[0].capitalize())
    assert (len(series.turns), len(other.turns)) == (1, 1)


def written_game(path, keys, domain, seed=1):
    """Games played by keys, `undo` among them, and recorded in a file; one that is there is continued."""
    file = ScriptFile(path, {"game": str(domain), "seed": str(seed)})
    series = continued(file, domain, random_source(domain, Randomness(seed)))
    file.commit()
    for key in keys:
        if key == "undo":
            if series.undo():
                file.take_back()
        else:
            file.pressed(key)
            series.begin() if key == NEW_GAME else press(series, key)
        file.commit()
    file.close()
    return series


def as_read(path, domain):
    """The position to which the transcript of a file leads: the tiles, the score and the best one."""
    series = continued(ScriptFile(path, {}), domain, lambda board: ())
    return series.board, series.score, series.best, tuple(series.turns)


@given(
    st.integers(0, 50),
    st.lists(st.sampled_from(["Up", "Left", "Left", "Down", "Right", "undo", "undo", NEW_GAME]), max_size=30),
    st.integers(0, 30),
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_file_has_the_moves_that_were_not_taken_back(tmp_path, seed, keys, cut):
    """Whenever it is read, and in however many parts it was written."""
    domain = sl.domain("2048-random:preset=cs61b,n=3")
    path = tmp_path / f"{seed}.script"
    path.unlink(missing_ok=True)
    written_game(path, keys[:cut], domain, seed)
    series = written_game(path, keys[cut:], domain, seed)
    if path.exists():
        assert as_read(path, domain) == (series.board, series.score, series.best, tuple(series.turns))
    else:
        assert not any(key != "undo" for key in keys)


def test_a_continued_game_draws_the_same_events(tmp_path):
    domain = sl.domain("2048-random")
    keys = ["Left", "Down", "Left", "Up", "Right", "Down"] * 3
    at_once = written_game(tmp_path / "one.script", keys, domain)
    written_game(tmp_path / "two.script", keys[:7], domain)
    assert written_game(tmp_path / "two.script", keys[7:], domain).board == at_once.board
    assert (tmp_path / "two.script").read_text() == (tmp_path / "one.script").read_text()


def test_a_script_file_begins_with_comments_on_the_game(tmp_path):
    """It is created at the first key."""
    path = tmp_path / "game.script"
    domain = sl.domain("2048-random:n=3")
    written_game(path, [], domain)
    assert not path.exists()
    written_game(path, ["Left"], domain)
    assert path.read_text().splitlines()[:2] == ["# game: 2048-random:n=3", "# seed: 1"]
    assert ScriptFile(path, {}).head == {"game": "2048-random:n=3", "seed": "1"}


@pytest.mark.parametrize("end", ["", "\n", "\nKQuit\n", "\nKQuit\nKLeft\n", "\n# done"])
def test_scripts_without_a_head_or_with_a_quit_are_continued(tmp_path, end):
    """Lines after a Quit are dropped."""
    path, domain = tmp_path / "log.script", sl.domain("2048-random:n=3")
    path.write_text("T 2 0 0\nT 2 2 2\nKRight\nT 4 0 0" + end)
    series = written_game(path, ["undo", "Down"], domain)
    assert [turn.action for turn in series.turns] == ["down"]
    assert as_read(path, domain)[0] == series.board
    written_game(path, ["undo"], domain)
    assert path.read_text().startswith("T 2 0 0\nT 2 2 2\n")
    assert "KRight" not in path.read_text()


@pytest.mark.parametrize("end", ["", "\r\n", "\r\nKQuit\r\n"])
def test_a_script_with_a_byte_order_mark_is_continued(tmp_path, end):
    """As editors on Windows write it; the mark counts where the file is cut."""
    path, domain = tmp_path / "log.script", sl.domain("2048-random:n=3")
    path.write_bytes(b"\xef\xbb\xbf# seed: 1\r\nT 2 0 0\r\nT 2 2 2\r\nKRight\r\nT 4 0 0" + end.encode())
    assert ScriptFile(path, {}).head == {"seed": "1"}
    series = written_game(path, ["Down"], domain)
    assert [turn.action for turn in series.turns] == ["right", "down"]
    assert as_read(path, domain)[0] == series.board
    written_game(path, ["undo", "undo"], domain)
    assert path.read_bytes() == b"\xef\xbb\xbf# seed: 1\r\nT 2 0 0\r\nT 2 2 2\r\n"


def test_a_log_that_was_cut_in_the_middle_of_a_move_is_continued(tmp_path):
    """The tile that is missing is drawn, and written."""
    path, domain = tmp_path / "log.script", sl.domain("2048-random:n=3")
    path.write_text("T 2 0 0\nT 2 2 2\nKRight\n")
    series = written_game(path, [], domain)
    assert len(series.turns) == 1
    assert path.read_text().splitlines()[3] == f"T {series.turns[0].events[0]}"


def test_a_file_that_cannot_be_written_is_an_error_of_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"gone/game\.script: no such file"):
        written_game(tmp_path / "gone" / "game.script", ["Left"], sl.domain("2048-random"))


def test_a_script_file_is_locked_while_a_game_is_played(tmp_path):
    """Another one is refused, and what the first writes is whole."""
    pytest.importorskip("fcntl")
    path, domain = tmp_path / "game.script", sl.domain("2048-random")
    written_game(path, ["Left"], domain)
    first, second = ScriptFile(path, {}), ScriptFile(path, {})
    first.lock()
    with pytest.raises(UsageError, match=r"game\.script: another process plays on it"):
        second.lock()
    first.close()
    written_game(path, ["Up"], domain)


def test_a_full_disk_leaves_whole_moves(tmp_path):
    """One line, and the file is as it was after the last move that found room."""
    resource = pytest.importorskip("resource")
    path, domain = tmp_path / "game.script", sl.domain("2048-random")
    written_game(path, ["Left", "Up"], domain)
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 3, limits[1]))
    try:
        with pytest.raises(MachineError, match=r"game\.script: "):
            written_game(path, ["Right", "Down", "Left"], domain)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
