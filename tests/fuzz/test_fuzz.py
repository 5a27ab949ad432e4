"""Inputs made by chance, the same for a seed: each is taken, or refused in one line.

`--fuzz-inputs 100000` tries so many in all, `--fuzz-seed 7` others; `--fuzz-only NAME:NUMBER` tries one again, as the
report of a fault says.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from .bench import Bench
from .mutation import Input, Mutator, shrunk
from .oracle import Finding, finding, writing_only_in
from .targets import TARGETS

PART = 500
"""Inputs of one test, so that several processes share the work."""
TOTAL = sum(target.weight for target in TARGETS.values())
DIFFERENT = 12
"""Faults of one kind of input after which no more are looked for."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Share the inputs among the targets, and cut what is long into parts."""
    option = metafunc.config.getoption
    if only := option("--fuzz-only"):
        name, _, number = only.rpartition(":")
        parts = [pytest.param(name, range(int(number), int(number) + 1), id=only)]
    else:
        parts = []
        for name, target in TARGETS.items():
            count = max(1, round(option("--fuzz-inputs") * target.weight / TOTAL))
            for begin in range(0, count, PART):
                parts.append(pytest.param(name, range(begin, min(begin + PART, count)), id=f"{name}-{begin}"))
    metafunc.parametrize(("name", "numbers"), parts)


@pytest.fixture(scope="module")
def bench(tmp_path_factory, make_record, make_game):
    """The folder in which inputs are tried."""
    folder = tmp_path_factory.mktemp("fuzz")
    before = Path.cwd()
    cache = os.environ.get("SEARCHLAB_CACHE_DIR") or Path.home() / ".cache"
    with writing_only_in(folder, Path(cache)), pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        made = Bench(folder, make_record, make_game)
        made.renew()
        yield made
    os.chdir(before)


def test_input_is_taken_or_refused_in_one_line(bench, request, name, numbers):
    """No traceback, no internal error, no hang, nothing written elsewhere, nothing of the process changed."""
    seed = request.config.getoption("--fuzz-seed")
    target = TARGETS[name]
    faults: dict[str, str] = {}

    def tried(given: Input) -> Finding | None:
        bench.renew()
        return finding(lambda: target.run(bench, given))

    for number in numbers:
        given = target.make(Mutator(Random(f"{seed}/{name}/{number}")))
        found = tried(given)
        if found is None or found.where in faults:
            continue
        where = found.where
        if where not in ("hang", "slow"):
            given = shrunk(given, lambda part, where=where: (again := tried(part)) is not None and again.where == where)
            found = tried(given) or found
        repeat = f"pytest tests/fuzz --fuzz-seed {seed} --fuzz-only {name}:{number}"
        faults[where] = f"{name}: {given!r}\nagain: {repeat}\n{found.what}"
        if len(faults) == DIFFERENT:
            break
    assert not faults, "\n\n".join(faults.values())
