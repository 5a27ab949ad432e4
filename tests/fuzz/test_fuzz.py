"""Inputs made by chance, the same for a seed: each is taken, or refused in one line.

`--fuzz-inputs 100000` tries so many in all, `--fuzz-seed 7` others; `--fuzz-only NAME:NUMBER` tries one again, as the
report of a fault says.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from .bench import Bench
from .mutation import Input, Mutator, shrunk
from .oracle import Finding, finding, writing_only_in
from .reported import REPORTED
from .targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterable

PART = 500
"""Inputs of one test, so that several processes share the work."""
TOTAL = sum(target.weight for target in TARGETS.values())
CHANGED = 200
"""Changed forms of each text that was reported."""
DIFFERENT = 12
"""Faults of one kind of input after which no more are looked for."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Share the inputs among the targets, and cut what is long into parts."""
    if "numbers" not in metafunc.fixturenames:
        return
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


def test_random_input_is_accepted_or_refused_in_one_line(bench, request, name, numbers):
    """No traceback, no internal error, no hang, nothing written elsewhere, nothing of the process changed."""
    seed = request.config.getoption("--fuzz-seed")
    target = TARGETS[name]
    again = f"pytest tests/fuzz --fuzz-seed {seed} --fuzz-only {name}:"
    made = ((f"{again}{number}", target.make(Mutator(Random(f"{seed}/{name}/{number}")))) for number in numbers)
    try_all(bench, name, made)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(name, text, id=f"{name}-{number}")
        for name, texts in REPORTED.items()
        for number, text in enumerate(texts, 1)
    ],
)
def test_reported_text_is_accepted_or_refused_in_one_line(bench, request, name, text):
    """As it was reported, in UTF-16, and in 200 changed forms of which a tenth is in UTF-16."""
    seed = request.config.getoption("--fuzz-seed")
    random = Random(f"{seed}/{text}")
    mutator = Mutator(random)
    inputs = [text.encode(), text.encode("utf-16")]
    for _ in range(CHANGED):
        changed = mutator.data([text])
        inputs.append(changed if random.random() < 0.9 else changed.decode("utf-8", "replace").encode("utf-16"))
    again = f"pytest tests/fuzz -k reported --fuzz-seed {seed}"
    try_all(bench, name, ((again, given) for given in inputs))


def try_all(bench: Bench, name: str, inputs: Iterable[tuple[str, Input]]) -> None:
    """Give inputs to a target, and fail with all faults that were found.

    Args:
        bench: the folder in which they are tried.
        name: the target's name.
        inputs: each with the command that tries it again.
    """
    target = TARGETS[name]
    faults: dict[str, str] = {}

    def tried(given: Input) -> Finding | None:
        bench.renew()
        return finding(lambda: target.run(bench, given))

    for again, given in inputs:
        found = tried(given)
        if found is None or found.where in faults:
            continue
        where = found.where
        if where not in ("hang", "slow"):
            given = shrunk(given, lambda part, where=where: (other := tried(part)) is not None and other.where == where)
            found = tried(given) or found
        faults[where] = f"{name}: {given!r}\nagain: {again}\n{found.what}"
        if len(faults) == DIFFERENT:
            break
    assert not faults, "\n\n".join(faults.values())
