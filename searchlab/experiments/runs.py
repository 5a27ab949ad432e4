"""A run: a search or a game of an experiment, in plain values that can travel to another process or machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types when it decodes
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from pathlib import PurePath
from typing import Any

from searchlab.binding.names import with_files
from searchlab.model.limits import Limits

Rows = tuple[tuple[int, ...], ...]

IDENTITY_FORMAT = 1
"""To be raised when the meaning of an identity changes."""


@dataclass(frozen=True)
class Start:
    """A board runs begin from.

    Attributes:
        name: what it is called in tables: a file, a shipped board's name, or a generator with its seed.
        rows: its tiles, row by row; None where it could not be read, or where games begin as their domain says.
        fault: why it could not be; empty where nothing is wrong.
        optimal: what a cheapest solution costs, None where nobody says.
    """

    name: str
    rows: Rows | None
    fault: str = ""
    optimal: float | None = None

    @property
    def is_opening(self) -> bool:
        """Whether it is no board but the opening of a domain, from which games begin."""
        return self.rows is None and not self.fault


@dataclass(frozen=True)
class Run:
    """One search of an experiment, or one game.

    Attributes:
        start: the board.
        domain, heuristic, frontier: as they are spelled, so that they can be looked up anywhere; parameters that
            have their default are left out. Of a game heuristic and frontier are empty.
        limits: what it may take.
        engine: "auto", "compiled" or "readable".
        batch: nodes expanded before they are evaluated together, None for the default.
        seed: what every part of it that takes a seed gets; None where none does.
        repetition: 1 for the first time the same is done.
        plugins: the fingerprints of the plugins whose code it runs, by plugin.
        player: who plays, spelled likewise; empty for a search.
        most_moves: moves after which a game is ended, None for as many as `sl.play` lets be made.
        former_plugins: the fingerprints that versions of searchlab up to 0.1 computed for the same code.
    """

    start: Start
    domain: str
    heuristic: str = ""
    frontier: str = ""
    limits: Limits = field(default_factory=Limits)
    engine: str = "auto"
    batch: int | None = None
    seed: int | None = None
    repetition: int = 1
    plugins: Mapping[str, str] | None = None
    player: str = ""
    most_moves: int | None = None
    former_plugins: Mapping[str, str] | None = None

    @cached_property
    def identity(self) -> str:
        """32 hexadecimal digits that are the same for the same run on any machine, and for no other.

        A board counts by its tiles and not by its name, a plugin by its code and not by the folder of its file.
        """
        return self._identity_with(self.plugins)

    @cached_property
    def former_identity(self) -> str:
        """The identity under which versions of searchlab up to 0.1 recorded the run."""
        return (
            self.identity if self.former_plugins in (None, self.plugins) else self._identity_with(self.former_plugins)
        )

    def _identity_with(self, plugins: Mapping[str, str] | None) -> str:
        start, limits = self.start, self.limits
        parts = {
            "format": IDENTITY_FORMAT,
            "board": [start.name, start.fault] if start.rows is None else start.rows,
            **self._done,
            "limits": [limits.seconds if isfinite(limits.seconds) else None, limits.memory, limits.expansions],
            "number": [self.seed, self.repetition],
            "plugins": dict(sorted((plugins or {}).items())),
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def _done(self) -> dict[str, list[Any]]:
        """What is done with the board."""
        names = (self.domain, self.player) if self.player else (self.domain, self.heuristic, self.frontier)
        without_folders = [with_files(name, lambda file: PurePath(file).name) for name in names]
        if self.player:
            return {"played": [*without_folders, self.most_moves]}
        return {"searched": [*without_folders, self.engine, self.batch]}


@dataclass(frozen=True)
class Record:
    """What became of a run, as the store keeps it.

    Attributes:
        run: what was done.
        cells: the result by column of `columns.COLUMNS`, or of `game_columns.COLUMNS` for a game; None for a missing
            cell.
        metrics: further columns that plugins bring, by name.
        worker: which process did it: its machine and number.
        finished: when, in UTC, ISO 8601.
        provenance: what it was done with: versions, plugins, machine; plain values.
    """

    run: Run
    cells: Mapping[str, Any]
    metrics: Mapping[str, Any]
    worker: str
    finished: str
    provenance: Mapping[str, Any]
