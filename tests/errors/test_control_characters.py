"""Characters a terminal would obey are shown as escapes, all others stay as they are."""

import sys
import unicodedata

from searchlab.errors.control_characters import escaped, one_line

OVERRIDES = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def test_every_control_character_is_escaped():
    """Control characters but tab and line feed, bidirectional overrides and lone surrogates are escaped, no others."""
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        is_control = unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n"
        shown = escaped(character)
        if is_control or character in OVERRIDES:
            assert shown == (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
        else:
            assert shown == character


def test_one_line_has_single_blanks_and_no_control_characters():
    """White space of any kind is a blank, and nothing that is white space to Python hides what a terminal obeys."""
    assert one_line(" a\r\n\tb\x1c\x85c\u2028d\x0b") == "a\\x0d b\\x1c\\x85c d\\x0b"
