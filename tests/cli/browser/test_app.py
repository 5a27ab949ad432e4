"""`searchlab play --browser` as a user runs it: the program serves a page, and records the game."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from browser import wait_for

import searchlab as sl
from searchlab.cli import main

HINTED = """async (moves) => {
    const made = () => parseInt(document.getElementById("made").textContent);
    const best = () => document.querySelector("#moves .best")?.dataset.action;
    const until = performance.now() + 15_000;
    while (!(made() === moves && best()) && performance.now() < until) await new Promise((done) => setTimeout(done, 4));
    const label = document.querySelector("#board svg").getAttribute("aria-label").split(": ")[1];
    return [best(), Math.max(...label.match(/\\d+/g).map(Number))];
}"""
"""Waits for a number of moves and for the hint; returns the best move and the largest tile."""


def transcript(capsys, monkeypatch, script, *options):
    """Return the output of `searchlab play --testing` for a script."""
    with script.open() as stream:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": stream.buffer, "isatty": lambda self: False})())
        assert main(["play", *options, "--testing"]) == 0
    return capsys.readouterr().out.splitlines()


def port_of(address):
    return int(re.search(r":(\d+)/", address)[1])


@pytest.mark.slow
def test_a_killed_game_is_continued(tabs, program, tmp_path, capsys, monkeypatch):
    """Nothing is lost: the record leads to the same score, and the same command continues."""
    record = tmp_path / "game.script"
    options = ("--domain", "2048-random", "--seed", "4", "--record", record)
    first = program(*options)
    page = tabs.open(first.address, reduced_motion="reduce")
    for key in ("ArrowLeft", "ArrowDown", "u", "u"):
        page.keyboard.press(key)
    page.check("#hints")
    moves = 0
    best, largest = page.evaluate(HINTED, moves)
    while largest < 256:
        page.keyboard.press(f"Arrow{best.capitalize()}")
        moves += 1
        best, largest = page.evaluate(HINTED, moves)
    score, board = page.locator("#score").inner_text(), page.locator("#board svg").get_attribute("aria-label")
    assert moves > 90
    page.reload()
    page.locator("main[aria-busy=false]").wait_for()
    assert page.locator("#score").inner_text() == score
    first.process.kill()
    wait_for(page, "document.getElementById('notice').textContent.includes('is gone')")
    told = page.locator("#notice").inner_text()
    assert str(record) in told
    assert f"searchlab play --browser --record {record}" in told
    assert all("ERR_CONNECTION_REFUSED" in line for line in tabs.complaints)  # the browser says that it asks in vain
    tabs.complaints.clear()

    lines = transcript(capsys, monkeypatch, record, "--domain", "2048-random")
    assert sum(line.startswith("D ") for line in lines) == moves
    series = played_again(record)
    assert f"{series.score:,}" == score

    second = program("--record", record)
    page = tabs.open(second.address)
    assert page.locator("#score").inner_text() == score
    assert page.locator("#board svg").get_attribute("aria-label") == board
    page.keyboard.press("u")
    wait_for(page, f"parseInt(document.getElementById('made').textContent) === {moves - 1}")
    code, out, err = second.interrupt()
    series = played_again(record)
    assert (code, out) == (0, f"score {series.score:,} after {moves - 1} moves, best score 0\n")
    assert err == f"searchlab: recorded in {record}\n"
    wait_for(page, "document.getElementById('notice').textContent.includes('it was ended by Ctrl-C')")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port_of(second.address)), timeout=5)


@pytest.mark.slow
@pytest.mark.parametrize("moves_on", [True, False])
def test_a_deleted_record_is_reported(tabs, program, tmp_path, moves_on):
    """At the next move, or at the end."""
    record = tmp_path / "game.script"
    begun = program("--domain", "2048-random", "--seed", "1", "--record", record)  # left and down are legal
    page = tabs.open(begun.address)
    page.keyboard.press("ArrowLeft")
    wait_for(page, "parseInt(document.getElementById('made').textContent) === 1")
    record.unlink()
    if moves_on:
        page.keyboard.press("ArrowDown")
        code, _, err = begun.finish()
    else:
        code, _, err = begun.interrupt()
    lost = "deleted or replaced while it was written; the moves in it are lost"
    assert (code, err) == (5, f"searchlab: error: {record}: {lost}\n")
    tabs.complaints.clear()


def test_other_users_do_not_see_the_address_of_the_page(tmp_path):
    """The arguments of a program are seen by all; the browser gets a file that redirects to the page."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/argument\n cat "${{1#file://}}" > {tmp_path}/page\n')
    browser.chmod(0o700)
    program = (
        "import time\nfrom pathlib import Path\nfrom searchlab.cli.browser.app import _announced\n"
        "with _announced('http://127.0.0.1:1/token/', None):\n"
        "    while not Path('page').exists() or 'token' not in Path('page').read_text():\n        time.sleep(0.01)\n"
    )
    environment = {**os.environ, "BROWSER": f"{browser} %s"}
    subprocess.run([sys.executable, "-c", program], env=environment, cwd=tmp_path, timeout=60, check=True)
    argument = (tmp_path / "argument").read_text().strip()
    assert "token" not in argument
    assert not Path(argument.removeprefix("file://")).exists()
    assert 'url=http://127.0.0.1:1/token/"' in (tmp_path / "page").read_text()


def played_again(record):
    """The games of a script, by the rules."""
    from searchlab.games.script import ScriptFile, continued

    return continued(ScriptFile(record, {}), sl.domain("2048-random"), lambda board: ())


@pytest.mark.slow
def test_a_player_plays_the_same_game_with_and_without_a_page(tabs, program, run):
    """Ctrl-C prints the game; its end has the exit code of `play`."""
    begun = program("--player", "random", "--seed", "5", "--delay", "0s", "--max-moves", "40", "--json")
    page = tabs.open(begun.address)
    wait_for(page, "document.getElementById('status').textContent.includes('which is the limit')")
    code, out, err = begun.interrupt()
    game = json.loads(out)
    alone = run("play", "--player", "random", "--seed", "5", "--max-moves", "40", "--json").json
    assert {**game, "seconds": 0} == {**alone, "seconds": 0}
    assert code == 3
    assert re.fullmatch(r"searchlab: recorded in 2048-random-\d{4}-\d\d-\d\d-\d{6}\.script\n", err)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--record", "game.script"), "--record is for --browser: on a terminal --log writes the record"),
        (("--browser", "--fast", "--player", "random"), "--browser and --fast exclude each other"),
        (("--browser", "--testing"), "--browser and --testing exclude each other"),
        (("--browser", "--record", "game.script", "--log"), "--record and --log exclude each other"),
        (("--browser", "--delay", "1s"), "--delay needs --player"),
        (("--browser", "--record", "gone/game.script"), "gone/game.script: there is no folder gone"),
        (("--browser", "--record", "other.script", "--domain", "2048-random:n=5"), "the record of another game"),
        (("--browser", "--record", "other.script", "2048/board10"), "the record of another game"),
        (("--browser", "--record", "bad.script"), "bad.script, line 2: 'left' is not a valid line"),
        (("--browser", "--record", "foreign.script"), "no domain is called 'nowhere'"),
        (("--browser", "--record", "board.script"), "board.script: the board in the head: 'x' is not a tile"),
    ],
)
def test_invalid_arguments_are_refused_before_anything_is_served(run, write, options, said):
    write("other.script", "# game: 2048-random\nT 2 0 0\nT 2 0 1\n")
    write("bad.script", "# game: 2048-random:n=3\nleft\n")
    write("foreign.script", "# game: nowhere\n")
    write("board.script", "# game: 2048-random\n# board: 1 2 x\n")
    assert said in run("play", *options).error
