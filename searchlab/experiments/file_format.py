"""The shape of an experiment file: its tables, their keys, and the types of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.files.toml import Place

Entry = str | dict[str, Any]
"""A spelled name, or a table with a name and lists of parameters."""


class Generation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Boards to be generated.

    Attributes:
        generator: its name with parameters.
        domain: whose boards they are; empty for the first of the experiment's domains that the generator is made for,
            else the only one it is made for.
        count: how many.
        seed: the first board's; the next has the one after it.
    """

    generator: str
    domain: str = ""
    count: int = 1
    seed: int = 1


class Exclusion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Combinations that are left out: those that fit all that is said here.

    Attributes:
        board: a board's name or a pattern like `korf100/*`; empty for any.
        domain, heuristic, frontier, player: a name, which fits whatever the parameters it does not mention; empty for
            any.
    """

    board: str = ""
    domain: str = ""
    heuristic: str = ""
    frontier: str = ""
    player: str = ""

    def __str__(self) -> str:
        said = {kind: getattr(self, kind) for kind in self.__struct_fields__}
        return ", ".join(f"{kind} {name}" for kind, name in said.items() if name)


class LimitsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What each run may take: numbers, or texts with a unit."""

    time: float | str | None = None
    memory: int | str | None = None
    expansions: int | None = None
    moves: int | None = None


class RecordTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is recorded besides the figures."""

    solutions: bool = True


class ExperimentFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="kebab"):
    """An experiment file, or the JSON of an experiment; what the keys mean stands at `spec.Experiment`."""

    name: str = ""
    description: str = ""
    boards: tuple[str, ...] = ()
    generate: tuple[Generation, ...] = ()
    domains: tuple[Entry, ...] = ()
    heuristics: tuple[Entry, ...] = ()
    frontiers: tuple[Entry, ...] = ()
    players: tuple[Entry, ...] = ()
    seeds: int | str | tuple[int | str, ...] = ()
    repetitions: int = 1
    order_seed: int = 1
    engine: str = "auto"
    batch: int | None = None
    limits: LimitsTable = LimitsTable()
    exclude: tuple[Exclusion, ...] = ()
    record: RecordTable = RecordTable()


TABLES: Mapping[Place, type[msgspec.Struct]] = {
    (): ExperimentFile,
    ("generate",): Generation,
    ("limits",): LimitsTable,
    ("exclude",): Exclusion,
    ("record",): RecordTable,
}
"""The tables of the file by their places."""
