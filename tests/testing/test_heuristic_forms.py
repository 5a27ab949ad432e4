"""The contract compares the forms of a heuristic on every board there is, and shows the board nearest to a goal."""

import pytest

import searchlab as sl


@pytest.mark.parametrize("name", ["blanks-to-the-end", "only-blanks-to-the-end", "packed-blank"])
def test_forms_that_agree(on_8_puzzle, name):
    """Nothing fails; where there is a function, all boards were compared with it."""
    report = on_8_puzzle(name)
    assert report.passed
    form = "packed" if name == "packed-blank" else "batch"
    assert report.finding(form).status == "passed"
    if not name.startswith("only"):
        assert report.finding(form).facts["boards"] > 181_440


@pytest.mark.parametrize(
    ("name", "form", "said"),
    [
        ("one-off-in-a-corner", "batch", "the batch form gives 5, the function 4"),
        ("off-on-few-boards", "batch", "the batch form gives "),
        ("relative-to-the-others", "batch", "its value depends on the boards beside it: 3 in a batch of "),
        ("only-relative-to-the-others", "batch", "its value depends on the boards beside it: 3 in a batch of "),
        ("depends-on-the-first", "batch", "in the opposite order"),
        ("only-depends-on-the-first", "batch", "in the opposite order"),
        ("cleared-when-done", "batch", "row 0, column 0 from 1 to 0; work on boards.copy()"),
        ("only-cleared-when-done", "batch", "row 0, column 0 from 1 to 0; work on boards.copy()"),
        ("packed-one-off", "packed", "the packed form gives "),
        ("packed-by-a-hair", "packed", "the packed form gives 1.0000000000000002, the function 1"),
    ],
)
def test_forms_that_differ(on_8_puzzle, name, form, said):
    """However few the boards are, or small the difference."""
    finding = on_8_puzzle(name).finding(form)
    assert finding.status == "failed"
    assert said in finding.message
    assert len(finding.boards) == 1


def test_the_smallest_counterexample(on_8_puzzle):
    """Of the 30 boards that begin with 8 7 6 5 none is nearer to the goal than the one that is shown."""
    assert (
        on_8_puzzle("off-on-few-boards").finding("batch").boards
        == on_8_puzzle("packed-one-off").finding("packed").boards
    )
    corner = on_8_puzzle("one-off-in-a-corner").finding("batch").boards[0][1]
    result = sl.solve(corner, domain="sliding-tile")
    assert (result.moves, corner.tile_at(0, 0)) == (4, 0)


def test_a_batch_of_the_wrong_length(on_8_puzzle):
    """What came back is told, and what was wanted."""
    finding = on_8_puzzle("one-value-short").finding("batch")
    assert "an array of shape (" in finding.message
    assert "a number for each of " in finding.message


def test_a_packed_form_that_does_not_compile(on_8_puzzle):
    """The line and what to write instead are told: such a form would slow the whole heuristic down."""
    finding = on_8_puzzle("packed-of-a-dict").finding("packed")
    assert finding.status == "failed"
    assert "it uses SETTINGS, a dict" in finding.message


def test_a_packed_form_that_is_never_called(on_8_puzzle):
    """It asks for what the domain does not have: that is only told."""
    assert on_8_puzzle("packed-with-wishes").finding("packed").status == "info"


@pytest.mark.parametrize(
    ("name", "asked", "said"),
    [
        ("draws", "deterministic", "the first time and"),
        ("beyond_the_border", "answers", "IndexError: index 3 is out of bounds"),
        ("around-the-border", "admissible", "10 on a board that is solved at a cost of 0"),
        ("around-the-border", "consistent", "after a move that costs 1"),
    ],
)
def test_faults_at_the_border_and_by_chance(on_8_puzzle, name, asked, said):
    """An index too far, an index before the first, which Python takes for the last, and a random number."""
    finding = on_8_puzzle(name).finding(asked)
    assert finding.status == "failed"
    assert said in finding.message
    assert finding.boards


def test_what_has_no_fixed_value_is_not_compared_compiled(on_8_puzzle):
    """Else the advice would be about whole numbers, which are not what is wrong."""
    assert on_8_puzzle("draws").finding("same-compiled").status == "skipped"
