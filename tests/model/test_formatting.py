"""Numbers, times and amounts of memory as people read them."""

import pytest

from searchlab.model.formatting import counted, duration, folded, memory, rounded, value


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 ms"), (0.00075, "0.75 ms"), (0.4, "400 ms"), (5.16, "5.16 s"), (75, "1 min 15 s"), (7260, "2 h 1 min")],
)
def test_durations(seconds, said):
    """Three digits below a minute, then minutes and hours."""
    assert duration(seconds) == said


def test_numbers_are_short():
    """Amounts have three digits and a unit, counts their thousands apart."""
    assert [memory(size) for size in (0, 1023, 1024, 12_390, 2**31)] == [
        "0 bytes",
        "1023 bytes",
        "1 KiB",
        "12.1 KiB",
        "2 GiB",
    ]
    assert [rounded(number) for number in (7, 999, 1000, 14_200, 3_100_000)] == ["7", "999", "1 k", "14.2 k", "3.1 M"]
    assert [counted(n, "move") for n in (0, 1, 1041)] == ["0 moves", "1 move", "1,041 moves"]
    assert [value(n) for n in (216.0, -0.5, float("inf"), 2**62)] == ["216", "-0.5", "infinite", f"{2**62:,}"]


def test_pieces_are_folded_at_the_width():
    """Lines are as long as they may be."""
    assert folded(["aa", "bb", "cc"], 5) == ["aa bb", "cc"]
