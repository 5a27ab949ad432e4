"""The outcome of a tuning: the tries, and the gain of the best try on the tuning boards and on other boards."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from searchlab.errors.control_characters import one_line
from searchlab.experiments.cells import MISSING, figure
from searchlab.experiments.page import Table, TextColumn
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from searchlab.experiments.objective import Objective
    from searchlab.experiments.progress import ExperimentState
    from searchlab.experiments.search_space import Value


@dataclass(frozen=True)
class Try:
    """Values that were tried.

    Attributes:
        number: from 1; the default is 0.
        values: the values of the tuned parameters by their names in the experiment.
        name: the names of the components, as in the column of a table of results.
        boards: the number of tuning boards that it was run on.
        gain: the share that it gains over the default on these boards.
        ended_early: whether it was ended because it did worse than the best.
    """

    number: int
    values: Mapping[str, Value]
    name: str
    boards: int
    gain: float
    ended_early: bool


@dataclass(frozen=True)
class SetFigures:
    """The figures of the default and of the tuned parameters on a set of boards.

    Attributes:
        name: "tuning" or "validation".
        boards: the number of boards, or of seeds where there is only one board.
        default, tuned: the means of the figure.
        gain: the share that the tuned parameters gain over the default.
        interval: the 95 % confidence interval of the gain; None for the tuning boards, on which the best of all tries
            was chosen, and if there is none.
        unsolved: the numbers of runs with the default, and with the tuned parameters, that count as unsolved.
    """

    name: str
    boards: int
    default: float
    tuned: float
    gain: float
    interval: tuple[float, float] | None
    unsolved: tuple[int, int]


@dataclass(frozen=True)
class Tuning:
    """The outcome of a tuning.

    Attributes:
        folder: the folder of the results.
        objective: the figure that was tuned.
        default: the names of the default's components.
        default_values: the values of the tuned parameters in the default.
        best: the try with the best figures on the tuning boards; number 0 if no try is better than the default.
        tries: all tries.
        tuning, validation: the figures on both sets of boards; None if it was stopped before the end.
        unit: "board" or "seed": what the sets consist of.
        state: the number of runs.
    """

    folder: Path
    objective: Objective
    default: str
    default_values: Mapping[str, Value]
    best: Try | None
    tries: tuple[Try, ...]
    tuning: SetFigures | None
    validation: SetFigures | None
    unit: str
    state: ExperimentState

    @property
    def optimism(self) -> float | None:
        """The gain on the tuning boards minus the gain on the validation boards; None if unknown."""
        difference = self.tuning.gain - self.validation.gain if self.tuning and self.validation else nan
        return difference if isfinite(difference) else None

    def __str__(self) -> str:
        return "\n".join(self.lines(get_terminal_size().columns))

    def lines(self, width: int) -> list[str]:
        """Return the outcome as lines of text that are no longer than a width, except names of components."""
        found = self.figures()
        names = [f"{which:<7}  {name}" for which, name in self.names]
        return [self.headline, *(["", *names, "", *found.lines(width)] if found else [])]

    @property
    def headline(self) -> str:
        """The number of tries."""
        early = sum(one.ended_early for one in self.tries)
        return f"{counted(len(self.tries), 'try', 'tries')}, {early:,} of them ended early"

    @property
    def names(self) -> list[tuple[str, str]]:
        """The names of the default and of the best try; empty if it was stopped before the end."""
        if self.best is None:
            return []
        which = f"try {self.best.number}" if self.best.number else "no try was better"
        return [("default", one_line(self.default)), ("tuned", f"{one_line(self.best.name)} ({which})")]

    def figures(self) -> Table | None:
        """Return the figures on the tuning boards beside those on the validation boards; None without them."""
        if self.tuning is None or self.validation is None:
            return None
        sets = (self.tuning, self.validation)
        cells = {
            "": [one.name for one in sets],
            f"{self.unit}s": [f"{one.boards:,}" for one in sets],
            "default": [figure(one.default) for one in sets],
            "tuned": [figure(one.tuned) for one in sets],
            "gain": [percent(one.gain) for one in sets],
            "95 % interval": [percents(one.interval) for one in sets],
        }
        columns = [TextColumn(name, listed, is_text=not name) for name, listed in cells.items()]
        return Table(columns, self._notes(*sets))

    def table(self) -> Table:
        """Return the default and all tries with their values and their gains on the tuning boards, the best bold."""
        default = Try(0, self.default_values, self.default, self.tuning.boards if self.tuning else 0, 0.0, False)
        rows = (default, *self.tries)
        cells = {
            "try": [str(one.number) if one.number else "default" for one in rows],
            **{name: [_value_text(one.values[name]) for one in rows] for name in self.default_values},
            f"tuning {self.unit}s": [f"{one.boards:,}" if one.boards else MISSING for one in rows],
            "gain": [percent(one.gain) if one.number else MISSING for one in rows],
            "ended": ["early" if one.ended_early else "" for one in rows],
        }
        bold = [number for number, one in enumerate(rows) if self.best and one.number == self.best.number]
        return Table(
            [TextColumn(name, listed, is_text=name == "ended", bold=bold) for name, listed in cells.items()],
            [f"gain: over the default on the same {self.unit}s; bold is the best of the tries on all of them"],
        )

    def _notes(self, tuning: SetFigures, validation: SetFigures) -> list[str]:
        quantity, both = self.objective.quantity, f"{self.unit}s"
        notes = [
            f"default, tuned: {quantity.label}, {quantity.aggregate.replace('mean', 'means')}; "
            f"gain: {quantity.comparative} than with the default, in pairs of the same {self.unit}"
        ]
        optimism = self.optimism
        if self.best is not None and not self.best.number:
            notes.append(f"no try is better than the default on the tuning {both}")
        elif optimism is not None:
            points = f"{abs(100 * optimism):.1f} points {'more' if optimism >= 0 else 'less'}"
            notes.append(
                f"optimism: the tuning {both}, on which the best was chosen, show {points} than the validation {both}"
            )
        if validation.interval is None:
            notes.append(f"no interval, because all differences on the validation {both} are equal")
        elif validation.interval[0] <= 0 <= validation.interval[1]:
            notes.append(f"the interval holds 0: a gain on other {both} is not shown")
        for one in (tuning, validation):
            if not any(one.unsolved):
                continue
            notes.append(
                f"{one.name}: runs that count as unsolved, {figure(self.objective.unsolved)} each: "
                f"default {one.unsolved[0]:,}, tuned {one.unsolved[1]:,}"
            )
        return notes

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON values."""

        def plain(one: SetFigures | None) -> dict[str, Any] | None:
            if one is None:
                return None
            interval = one.interval and list(one.interval)
            gain = one.gain if isfinite(one.gain) else None
            unsolved = dict(zip(("default", "tuned"), one.unsolved, strict=True))
            figures = {"default": one.default, "tuned": one.tuned, "gain": gain, "interval": interval}
            return {f"{self.unit}s": one.boards, **figures, "unsolved": unsolved}

        def of_try(one: Try) -> dict[str, Any]:
            gain = one.gain if isfinite(one.gain) else None
            return {
                **{"try": one.number, "name": one.name, "values": dict(one.values), f"{self.unit}s": one.boards},
                **{"gain": gain, "ended_early": one.ended_early},
            }

        return {
            "results": str(self.folder),
            "objective": self.objective.quantity.name,
            "unsolved_counts_as": self.objective.unsolved,
            "default": self.default,
            "tuned": self.best and self.best.name,
            "best": self.best and of_try(self.best),
            "tuning": plain(self.tuning),
            "validation": plain(self.validation),
            "optimism": self.optimism,
            "tries": [of_try(one) for one in self.tries],
        }


def _value_text(value: Value) -> str:
    return f"{value:.10g}" if isinstance(value, float) else one_line(str(value))


def percent(share: float) -> str:
    """Return a share in percent as text, a dash if it is not finite."""
    return f"{100 * share + 0.0:.1f} %" if isfinite(share) else MISSING  # + 0.0: not -0.0


def percents(interval: tuple[float, float] | None) -> str:
    """Return an interval of shares in percent as text, a dash for None."""
    return f"{100 * interval[0]:.1f} … {100 * interval[1]:.1f} %" if interval else MISSING
