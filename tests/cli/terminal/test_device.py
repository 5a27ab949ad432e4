"""Keys are recognised from the characters that a terminal sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlab.cli.terminal.device import Keyboard

TYPED = {
    "up": ["\x1b[A", "\x1bOA", "\x1b[1;2A"],
    "down": ["\x1b[B", "\x1bOB"],
    "right": ["\x1b[C", "\x1b[1;5C"],
    "left": ["\x1b[D", "\x1bOD"],
    "enter": ["\r", "\n"],
    "space": [" "],
    "ctrl-c": ["\x03"],
    "ctrl-d": ["\x04"],
    "w": ["w", "W"],
    "é": ["é", "É"],
    None: ["\x1b[15~", "\x1bOP", "\x1b[<0;1;1M", "\x1bx"],
}
PAIRS = [(name, characters) for name, spellings in TYPED.items() for characters in spellings]


@given(typed=st.lists(st.sampled_from(PAIRS), max_size=20), data=st.data())
def test_keys_do_not_depend_on_how_input_is_split(typed, data):
    """It may be split within a character."""
    content = "".join(characters for _, characters in typed).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=5)))
    keyboard, keys = Keyboard(), []
    for first, last in zip([0, *cuts], [*cuts, len(content)], strict=True):
        keys += keyboard.keys(content[first:last])
    assert keys == [name for name, _ in typed if name]
    assert not keyboard.is_waiting


@given(content=st.binary(max_size=30))
def test_keys_are_recognised_after_any_input(content):
    """Once an incomplete sequence is given up, no key is lost."""
    keyboard = Keyboard()
    keyboard.keys(content)
    keyboard.give_up()
    assert keyboard.keys(b"\xff\x1b[Aq")[-2:] == ["up", "q"]


@pytest.mark.parametrize("beginning", [b"\x1b", b"\x1b[", b"\x1b[1;", b"\x1bO"])
def test_the_escape_key_alone_is_ignored(beginning):
    """It begins no sequence if nothing follows."""
    keyboard = Keyboard()
    assert keyboard.keys(beginning) == []
    assert keyboard.is_waiting
    keyboard.give_up()
    assert keyboard.keys(b"a") == ["a"]
    assert keyboard.keys(b"\x1b\x1b[A") == ["up"]
