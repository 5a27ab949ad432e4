"""Records: rows are appended to a CSV file, even if processes are killed."""

from __future__ import annotations

import csv
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import MachineError, UsageError
from searchlab.experiments import record
from searchlab.experiments.tables import COLUMNS
from searchlab.files import write


@pytest.fixture(scope="module")
def result():
    board = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    return sl.solve(board, domain="sliding-tile", engine="readable")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "runs.csv"


def test_a_record_is_the_table_as_csv(result, file):
    """It can be read back as the same table."""
    awkward = replace(result, reason='a "quoted", word\nand a second line', status="error", moves=None, actions=None)
    record.append(file, result)
    record.append(file, awkward)
    table = sl.table([result, awkward])
    assert file.read_text() == table.to_csv(index=False, lineterminator="\n")
    pd.testing.assert_frame_equal(record.read(file), table)


def test_a_line_that_was_cut_off_is_taken_away(result, file):
    """Part of a row, left by a process that was killed, does not spoil the next."""
    record.append(file, result)
    whole = file.read_text()
    file.write_text(whole + '2 0 / 0 0,2048,"left-wei')
    record.append(file, result)
    assert file.read_text() == whole + whole.splitlines()[1] + "\n"


def test_a_last_line_without_its_end_is_kept(result, file):
    """An editor may have left the end of the last line away."""
    record.append(file, result)
    file.write_text(file.read_text().rstrip("\n"))
    record.append(file, result)
    assert len(record.read(file)) == 2


def test_a_file_a_spreadsheet_saved_is_still_a_record(result, file):
    """A byte-order mark and CR LF line ends do no harm."""
    record.append(file, result)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    record.append(file, result)
    assert len(record.read(file)) == 2


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("a,b", "it has 'a'"),
        (",".join(list(COLUMNS)[1:]), "it lacks 'board'"),
        (",".join(reversed(COLUMNS)), "their order differs"),
    ],
)
def test_a_file_with_other_columns_is_refused(result, file, header, said):
    """Nothing is appended to it."""
    file.write_text(header + "\n")
    with pytest.raises(UsageError, match=said):
        record.check(file)
    with pytest.raises(UsageError, match=said):
        record.append(file, result)
    assert file.read_text() == header + "\n"


def test_checking_a_record_does_not_create_it(file):
    record.check(file)
    assert not file.exists()


APPEND = """
import sys
import searchlab as sl
from searchlab.experiments import record
result = sl.solve(sl.Board([[1, 2], [0, 3]]), domain="sliding-tile", engine="readable")
for _ in range(50):
    record.append(sys.argv[1], result)
"""


def test_several_processes_may_append_at_once(file):
    processes = [subprocess.Popen([sys.executable, "-c", APPEND, str(file)]) for _ in range(3)]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]
    with file.open(newline="") as lines:
        rows = list(csv.reader(lines))
    assert len(rows) == 151
    assert len({len(row) for row in rows}) == 1


def test_a_file_is_replaced_completely_or_not_at_all(tmp_path):
    """After an error no draft is left."""
    path = tmp_path / "out.txt"
    write(path, ["old"])

    def failing():
        yield "new"
        raise OSError(28, "No space left on device")

    with pytest.raises(MachineError, match="No space left"):
        write(path, failing())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    write(path, ["new", "er"])
    assert path.read_text() == "newer"


def test_a_link_and_a_device_are_written_through(tmp_path):
    """A symbolic link stays one, and a device is not replaced by a file."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    write(link, ["new"])
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600
    from pathlib import Path

    write(Path("/dev/null"), ["gone"])
    assert Path("/dev/null").is_char_device()
