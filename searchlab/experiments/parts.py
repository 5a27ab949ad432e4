"""Parts of an experiment: lists of its runs for independent jobs, such as those of a job array.

A file in the folder of the results holds the lists. Each part has its own store below that folder, and
`searchlab.experiments.store.merge_into` joins the stores.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from searchlab.errors import UsageError
from searchlab.experiments.store import FILE, Store
from searchlab.files import LONGEST_TEXT, file_error, open_to_read, read_at_most, write
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from searchlab.experiments.identities import RunStatuses
    from searchlab.experiments.runs import Run

PARTS = "parts"
"""The folder with the stores of the parts, each in a folder with its number."""
LISTS = "parts.json"
LARGEST_FILE = 16 * LONGEST_TEXT
"""The size in bytes of the largest file of lists: ten million runs, the most of an experiment, take less."""


class PartsFile(msgspec.Struct, frozen=True):
    """The runs of each part.

    Attributes:
        parts: for each part the identities of its runs.
    """

    parts: tuple[tuple[str, ...], ...]


def dealt(runs: Iterable[Run], number: int, seed: int) -> list[list[Run]]:
    """Deal runs into shuffled lists; in any two, the runs of each configuration differ by one at most.

    The repetitions of a run with `repeat_until` stay together, as their times decide on further ones.

    Args:
        number: the number of lists.
        seed: the seed of the order.
    """
    shuffled = random.Random(seed)
    configurations: dict[object, dict[str, list[Run]]] = {}
    for run in runs:
        together = run.identity if run.repeat_until is None else replace(run, repetition=1).identity
        configuration = configurations.setdefault((*sorted(run.parts.items()), run.limits), {})
        configuration.setdefault(together, []).append(run)
    in_turn: list[list[Run]] = []
    for of_one in configurations.values():
        groups = [*of_one.values()]
        shuffled.shuffle(groups)
        in_turn += groups
    lists = [[run for group in in_turn[first::number] for run in group] for first in range(number)]
    for each in lists:
        shuffled.shuffle(each)
    return lists


def write_parts(folder: Path, lists: Iterable[Iterable[Run]], recorded: RunStatuses) -> None:
    """Write the lists of runs of an experiment's parts.

    Args:
        folder: the folder of the results.
        lists: the runs of each part.
        recorded: the statuses of the runs in that folder.

    Raises:
        UsageError: parts that were written before have results that were not merged, or the file cannot be written.
        MachineError: the disk is full or fails.
    """
    content = msgspec.json.encode(PartsFile(tuple(tuple(run.identity for run in runs) for runs in lists)))
    if _bytes_of(folder) == content:
        return
    for store in sorted((folder / PARTS).glob(f"*/{FILE}")):
        with Store(store) as part:
            missing = recorded.missing(part.statuses())
        if missing:
            wanted = f"join them first: searchlab results merge {folder / PARTS}/* --into {folder}"
            raise UsageError(
                f"{store.parent}: {counted(missing, 'run')} of earlier parts are not in {folder}; {wanted}"
            )
    write(folder / LISTS, [content])


def read_part(folder: Path, number: int) -> tuple[str, ...]:
    """Return the identities of the runs of a part.

    Args:
        folder: the folder of the results.
        number: the number of the part, from 1.

    Raises:
        UsageError: there is no such part, or the file cannot be read.
    """
    file = folder / LISTS
    content = _bytes_of(folder)
    if content is None:
        raise UsageError(f"{file}: no such file: the same command with --parts N in place of --part {number} writes it")
    try:
        parts = msgspec.json.decode(content, type=PartsFile).parts
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UsageError(f"{file}: no lists of runs: {error}; write it again with --parts N") from None
    if number > len(parts):
        raise UsageError(f"there is no part {number}: {file} has {counted(len(parts), 'part')}")
    return parts[number - 1]


def part_folder(folder: Path, number: int) -> Path:
    """Return the folder of the results of a part."""
    return folder / PARTS / str(number)


def _bytes_of(folder: Path) -> bytes | None:
    """Return the content of the file of lists, None if there is none."""
    file = folder / LISTS
    if not file.exists():
        return None
    try:
        with open_to_read(file) as opened:
            content = read_at_most(opened, LARGEST_FILE)
    except OSError as error:
        raise file_error(file, error) from None
    if content is None:
        raise UsageError(f"{file}: larger than {LARGEST_FILE >> 20} MiB, the limit for lists of runs")
    return content
