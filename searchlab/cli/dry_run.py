"""What an experiment will do, for people: its matrix, what is skipped and why, and what it takes at most."""

from __future__ import annotations

import textwrap
from math import ceil, isfinite
from typing import TYPE_CHECKING

from searchlab.cli.figures import counted, duration, memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from searchlab.experiments.matrix import Matrix
    from searchlab.experiments.skipping import Skipped
    from searchlab.experiments.spec import Experiment

WIDTH = 80
SHOWN = 6
"""So many things of one sort are listed, of more the first."""


def described(matrix: Matrix, workers: int) -> list[str]:
    """Return the lines that describe a matrix of runs, at most 80 characters wide where words allow.

    Args:
        workers: how many runs are done at the same time.
    """
    experiment = matrix.experiment
    return [
        *_wrapped(experiment.name),
        *_wrapped(experiment.description),
        "",
        *_axes(matrix),
        *_wrapped(_sampled(matrix)),
        *_skipped(matrix.skipped),
        *(line for text in matrix.unused for line in _wrapped(text, "excludes nothing: ")),
        "",
        *_wrapped(_limits(experiment)),
        *_wrapped(_duration(runs_in_all(matrix), experiment.limits.seconds, workers)),
    ]


def runs_in_all(matrix: Matrix) -> int:
    """Return how many runs there are, about where not all boards were generated: as many a board as of the others."""
    of_others = len(matrix.runs) * matrix.not_generated // matrix.boards if matrix.not_generated else 0
    return len(matrix.runs) + of_others


def _sampled(matrix: Matrix) -> str:
    """Return what is said where not all boards were generated; an empty string where all were."""
    if not matrix.not_generated:
        return ""
    boards, whole = matrix.boards, matrix.boards + matrix.not_generated
    made = f"counted on {boards:,} of {whole:,} boards; the others are generated when it runs"
    return f"{made}; about {runs_in_all(matrix):,} runs in all"


def _axes(matrix: Matrix) -> list[str]:
    """Return a line for each axis of the matrix, and for what comes out."""
    experiment = matrix.experiment
    axes: list[tuple[str, int, Iterable[str]]] = [
        ("boards", matrix.boards, ()),
        ("domains", len(matrix.domains), matrix.domains),
        *_done(matrix),
        ("seeds", len(experiment.seeds), map(str, experiment.seeds)),
        ("repetitions", experiment.repetitions, ()),
        ("combinations", matrix.combinations, ()),
        ("skipped", matrix.combinations - len(matrix.runs), ()),
        ("runs", len(matrix.runs), ()),
    ]
    name_width = max(len(name) for name, _, _ in axes)
    number_width = max(len(f"{number:,}") for _, number, _ in axes)
    lines = []
    for name, number, listed in axes:
        head = f"{name:{name_width}}  {number:{number_width},}"
        lines += _wrapped(_listed(list(listed)), f"{head}  ") or [head]
    return lines


def _done(matrix: Matrix) -> list[tuple[str, int, Iterable[str]]]:
    """Return the axes of what is done with boards."""
    if matrix.experiment.players:
        return [("players", len(matrix.players), matrix.players)]
    return [
        ("heuristics", len(matrix.heuristics), matrix.heuristics),
        ("frontiers", len(matrix.frontiers), matrix.frontiers),
    ]


def _skipped(skipped: Sequence[Skipped]) -> list[str]:
    """Return the reasons for which combinations are skipped, each with what it is about."""
    if not skipped:
        return []
    width = max(len(f"{each.count:,}") for each in skipped)
    lines = ["", "skipped:"]
    for each in skipped:
        lines += _wrapped(each.reason, f"{each.count:{width},}  ")
        lines += _wrapped(_listed(each.what), " " * (width + 4))
    return lines


def _limits(experiment: Experiment) -> str:
    """Return what a run may take."""
    limits = experiment.limits
    said = [
        duration(limits.seconds) if isfinite(limits.seconds) else "",
        "" if limits.memory is None else memory(limits.memory),
        "" if limits.expansions is None else counted(limits.expansions, "expansion"),
        "" if experiment.most_moves is None else counted(experiment.most_moves, "move"),
    ]
    return f"limits of a run: {', '.join(filter(None, said)) or 'none'}"


def _duration(runs: int, seconds: float, workers: int) -> str:
    """Return what so many runs take at most."""
    if not runs:
        return "nothing to run"
    at_once = f"{counted(runs, 'run')}, {min(workers, runs)} at a time"
    if not isfinite(seconds):
        return f"no time limit: nobody knows how long it takes; {at_once}"
    return f"at most {duration(ceil(runs / workers) * seconds)}: {at_once}"


def _listed(names: Sequence[str]) -> str:
    """Return names in a row, of many the first."""
    left_out = len(names) - SHOWN
    shown = ", ".join(names[:SHOWN])
    return f"{shown}, … and {left_out:,} more" if left_out > 0 else shown


def _wrapped(text: str, head: str = "") -> list[str]:
    """Return a text in lines, the first after its head, the others below where it begins."""
    return textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)
