"""Files are written whole, and a folder is written by one process at a time."""

import errno
import os
import shutil
import subprocess
import sys

import pytest

from searchlab.errors import MachineError, UsageError
from searchlab.files import DRAFT, FolderLock, file_error, remove_drafts, replacing

DIES = """
import os, signal, sys
from pathlib import Path
from searchlab.files import replacing
with replacing(Path(sys.argv[1])) as file:
    file.write(b"half of it")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def left_behind(tmp_path):
    """A folder with the draft of a process that was killed while it wrote `out`."""
    subprocess.run([sys.executable, "-c", DIES, str(tmp_path / "out")], check=False)
    (draft,) = os.listdir(tmp_path)
    assert DRAFT.fullmatch(draft)["name"] == "out"
    return tmp_path


def test_drafts_of_killed_processes_are_removed_when_the_file_is_written(left_behind):
    """Those of another file, of a living process, of another machine, and what only looks like one stay."""
    (draft,) = os.listdir(left_behind)
    found = DRAFT.fullmatch(draft)
    others = {
        draft.replace(".out.", ".other."),
        draft.replace(found["process"], str(os.getppid())),
        draft.replace(found["host"], "00000000"),
        draft.replace(found["process"], ""),
        f"{draft}.txt",
    }
    for name in others:
        (left_behind / name).write_text("")
    with replacing(left_behind / "out") as file:
        file.write(b"all of it")
    assert set(os.listdir(left_behind)) == {"out", *others}


def test_all_drafts_in_a_folder_are_removed(left_behind):
    (left_behind / "kept").write_text("")
    remove_drafts(left_behind)
    assert os.listdir(left_behind) == ["kept"]
    remove_drafts(left_behind / "nowhere")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path):
    """Such as /dev/null, which root might replace for everybody."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(pipe) as file:
        file.write(b"all of it")
    assert os.read(reader, 100) == b"all of it"
    os.close(reader)
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_folder_lock_is_exclusive(tmp_path):
    lock = FolderLock(tmp_path / "new" / "folder", "it is taken")
    with pytest.raises(UsageError, match="folder: it is taken"):
        FolderLock(tmp_path / "new" / "folder", "it is taken")
    lock.check()
    lock.release()
    FolderLock(tmp_path / "new" / "folder", "it is taken").release()


def test_an_immediate_failure_leaves_no_folder(tmp_path):
    """One that was there stays, as does one in which something was written."""
    folder, kept = tmp_path / "new" / "folder", tmp_path / "kept"
    with FolderLock(folder, "it is taken"):
        assert folder.is_dir()
    kept.mkdir()
    with FolderLock(kept, "it is taken"):
        pass
    assert list(tmp_path.rglob("*")) == [kept]
    with FolderLock(folder, "it is taken"):
        (folder / "written").touch()
    assert {path.name for path in folder.iterdir()} == {"written", "lock"}


@pytest.mark.parametrize("anew", [False, True])
def test_a_folder_that_is_deleted_or_replaced_is_noticed(tmp_path, anew):
    """Also where another stands in its place."""
    lock = FolderLock(tmp_path / "folder", "it is taken")
    shutil.rmtree(tmp_path / "folder")
    if anew:
        FolderLock(tmp_path / "folder", "it is taken").release()
    with pytest.raises(MachineError, match="folder: deleted or replaced while being written"):
        lock.check()
    lock.release()


def test_an_impossible_folder_is_refused(tmp_path):
    """A file stands there."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a file, not a folder"):
        FolderLock(tmp_path / "file", "")


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, MachineError), (errno.EIO, MachineError), (errno.EACCES, UsageError)]
)
def test_errors_of_the_machine_and_of_the_user_are_distinguished(tmp_path, number, kind):
    """By the error number."""
    told = file_error(tmp_path / "out", OSError(number, os.strerror(number)))
    assert type(told) is kind
    assert str(told) == f"{tmp_path / 'out'}: {os.strerror(number)}"
