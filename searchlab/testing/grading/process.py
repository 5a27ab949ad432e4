"""The process in which a student's file is tested; it is started as `python -P -m searchlab.testing.grading.process`.

The process reads its task as a line of JSON, and answers with lines of JSON. The output of the student's code goes to
standard error. The process ends at once when the grader is gone.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import warnings
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import msgspec

from searchlab.testing.grading.marks import Mark  # noqa: TC001 - msgspec reads the types of fields

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST_FILE = 2**30
"""The largest file that a student's code may write: a full disk would harm everybody."""

MODULE_OF_FOLDER = re.compile(r"\bsearchlab_folder_[0-9a-f]+\.")
"""The prefix of the name under which a plugin file is imported."""


class GradingTask(msgspec.Struct, frozen=True):
    """The task of a process.

    Attributes:
        rubric: the file of the rubric.
        file: the student's file, or `""` to prepare the tests instead.
        tests: the numbers of the tests.
        prepared: the figures that the tests need, by the number of the test.
        plugins: the settings of the plugins to load.
        path: the folders to import from.
    """

    rubric: str
    file: str
    tests: tuple[int, ...]
    prepared: dict[int, dict[str, Any]]
    plugins: dict[str, Any]
    path: tuple[str, ...]


class GradingEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message of a process.

    Attributes:
        begun: the number of the test that begins, or -1 when the file is loaded.
        mark: the outcome of the test.
        prepared: the figures that the test needs.
        refused: the reason why nothing can be tested.
        is_over: whether the process is done.
    """

    begun: int | None = None
    mark: Mark | None = None
    prepared: dict[str, Any] | None = None
    refused: str = ""
    is_over: bool = False


def main() -> NoReturn:
    """Do the task on standard input, and end the process."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader ends this process
        incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(2, 1)
        task = msgspec.json.decode(incoming.readline(), type=GradingTask)
        _end_with_grader(incoming)
        _limit()
        _work(task, outgoing)
        code = 0
    except BrokenPipeError:
        code = 0
    except BaseException as error:  # noqa: BLE001 - the grader says that the process died
        with suppress(OSError, ValueError):
            os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
    finally:
        with suppress(Exception):
            sys.stdout.flush()
        os._exit(code)  # a thread of the student's code may still be running


def _work(task: GradingTask, outgoing: IO[bytes]) -> None:
    def tell(event: GradingEvent) -> None:
        outgoing.write(msgspec.json.encode(event) + b"\n")

    tell(GradingEvent(begun=-1))
    from searchlab.errors import SearchlabError, SearchlabWarning, alarm
    from searchlab.model.preparation import listen_everywhere
    from searchlab.plugins.registry import Plugins
    from searchlab.testing.grading.examination import Examination
    from searchlab.testing.grading.rubric import read_rubric

    alarm.set_up()
    warnings.simplefilter("ignore", SearchlabWarning)  # only the student's output is kept
    listen_everywhere(lambda preparation: None)
    sys.path[:] = [*task.path, *(place for place in sys.path if place not in task.path)]
    names = {str(Path(task.file).parent): "", str(Path(task.rubric).parent): ""} if task.file else {}

    def cleaned(mark: Mark) -> Mark:
        return msgspec.structs.replace(
            mark, message=_without_folders(mark.message, names), fault=_without_folders(mark.fault, names)
        )

    def leave(mark: Mark) -> NoReturn:
        tell(GradingEvent(mark=cleaned(mark)))
        os._exit(0)

    settings = task.plugins
    rubric = read_rubric(task.rubric)
    file = Path(task.file) if task.file else None
    try:
        plugins = Plugins(
            settings["files"],
            folders=settings["folders"],
            without=settings["without"],
            third_party=not settings["shipped_only"],
            rereads=False,
        )
        if file:
            sys.path.append(str(file.parent))  # a student's file may import other files of the submission
            plugins.load_file(str(file))
    except SearchlabError as error:
        tell(GradingEvent(refused=_without_folders(str(error), names)))
        return
    examination = Examination(rubric, plugins, file, leave)
    for number in task.tests:
        tell(GradingEvent(begun=number))
        test = rubric.tests[number]
        if file:
            tell(GradingEvent(mark=cleaned(examination.mark(test, task.prepared.get(number, {})))))
            continue
        try:
            tell(GradingEvent(prepared=examination.prepared(test)))
        except SearchlabError as error:
            tell(GradingEvent(refused=str(error)))
            return
    tell(GradingEvent(is_over=True))


def _without_folders(text: str, names: Mapping[str, str]) -> str:
    """Return a message without the folders of files and modules, because students know only their names."""
    for folder, name in names.items():
        text = text.replace(f"{folder}/", name)
    return MODULE_OF_FOLDER.sub("", text)


def _end_with_grader(incoming: IO[bytes]) -> None:
    """End this process when the grader is gone, even if no thread here can run."""

    def listen() -> None:
        with suppress(OSError, ValueError):
            while incoming.read(1):
                pass
        os._exit(0)

    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, ctypes.c_ulong(signal.SIGKILL))  # PR_SET_PDEATHSIG
    threading.Thread(target=listen, daemon=True).start()


def _limit() -> None:
    """Limit the size of files, and write no dump of memory if the process dies."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


if __name__ == "__main__":
    main()
