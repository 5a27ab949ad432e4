"""TOML files are read strictly; errors are one line with the file."""

import pytest

from searchlab.errors import UsageError
from searchlab.files.toml import ESCAPES, line_of, read_toml


def test_the_content_of_a_file_is_returned(tmp_path):
    """With or without a byte-order mark."""
    file = tmp_path / "some.toml"
    file.write_bytes(b'\xef\xbb\xbfname = "x"\n')
    assert read_toml(file, ("name", "other")) == {"name": "x"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"nmae = 1", "unknown key 'nmae': did you mean 'name'? There is only name"),
        (b"name = ", "Invalid value (at end of document)"),
        (b"\xff = 1", "not encoded in UTF-8 (byte 0xff at position 0): save it as UTF-8"),
        ("name = 'x'".encode("utf-16"), "encoded in UTF-16: save it as UTF-8"),
        ("name = 'x'".encode("utf-32"), "encoded in UTF-32: save it as UTF-8"),
        (b'name = "C:\\Users"', f"Invalid hex value (at line 1, column 13): {ESCAPES}"),
        (b'name = "a\\d"', f"Unescaped '\\' in a string (at line 1, column 12): {ESCAPES}"),
        (b"name = " + b"[" * 10_000, "nested too deeply"),
    ],
)
def test_errors_name_the_line(tmp_path, content, message):
    """An unknown key, and invalid TOML."""
    file = tmp_path / "some.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError) as raised:
        read_toml(file, ("name",))
    assert str(raised.value) == f"{file}: {message}"


TEXT = """\
# a comment = 1
name = "x"
long = '''
count = 3
[limits]
'''
list = [
    "a",
]

[limits] # and a comment
"time" = 3
[ a.b ]
c = 1

[[generate]]
count = 1
[[generate]]

count = 2
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("name",), 2),
        (("list", 1), 7),
        (("limits",), 11),
        (("limits", "time"), 12),
        (("limits", "memory"), 11),
        (("a", "b", "c"), 14),
        (("generate", 0, "count"), 17),
        (("generate", 1), 18),
        (("generate", 1, "count"), 20),
        (("generate", 2), 0),
        (("count",), 0),
        ((), 0),
    ],
)
def test_the_line_of_a_place(place, line):
    """Of the innermost key that has a line; a text on several lines holds none, whatever it looks like."""
    assert line_of(TEXT, place) == line
