"""Results as a scenario of ASlib, the format in which research on algorithm selection shares its data.

Bischl et al., ASlib: A Benchmark Library for Algorithm Selection, Artificial Intelligence 237 (2016); version 4.0 of
the format. An algorithm is a heuristic with a frontier strategy, an instance a board with its domain. The measures are
the seconds of the search and its expansions. Features are what can be said of a board without a search: its rows,
columns and moves, the domain's lower bound, and the value of each heuristic.
"""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from typing import TYPE_CHECKING, Any

from searchlab.errors import SearchlabError, UsageError
from searchlab.experiments.replay import recorded_start
from searchlab.experiments.runs import GAMES, run_kind_of
from searchlab.files import write
from searchlab.plugins import lookup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from searchlab.binding.domain import BoundDomain
    from searchlab.plugins.registry import Plugins

VERSION = "4.0"
FOLDS = 10
"""The folds of the cross-validation, the instances being dealt out in their order."""
MISSING = "?"
STATUSES = {
    "solved": "ok",
    "unsolvable": "ok",
    "time-limit": "timeout",
    "expansion-limit": "timeout",
    "memory-limit": "memout",
    "error": "crash",
}
"""The statuses of ASlib for those of searches; of others it is `other`."""
OF_RUNS = ("ok", "timeout", "memout", "not_applicable", "crash", "other")
OF_STEPS = ("ok", "timeout", "memout", "presolved", "crash", "other")
STEP = "start"
"""The only step in which features are computed."""
PLAIN = ("rows", "columns", "moves", "lower_bound")
MEASURES = {"runtime": "runtime", "expanded": "solution_quality"}
"""The performance measures with their types."""


def write_scenario(runs: pd.DataFrame, folder: Path, name: str, plugins: Plugins) -> dict[str, int]:
    """Write the files of a scenario into a folder that exists.

    Args:
        runs: searches, as `load_results` returns them.
        folder: the folder.
        name: the name of the scenario.
        plugins: where the domains and heuristics are looked up that give the features.

    Returns:
        the number of algorithms, instances and features.

    Raises:
        UsageError: there are no searches, or a file cannot be written.
    """
    if run_kind_of(runs) is GAMES:
        raise UsageError("games are no scenario of ASlib: it is about searches of boards")
    if runs.empty:
        raise UsageError("there are no runs, and a scenario of ASlib needs some")
    instances = dict.fromkeys(zip(runs["board_name"].fillna("start"), runs["domain"], strict=True))
    boards = Counter(board for board, _ in instances)
    names = {(board, domain): f"{board} {domain}" if boards[board] > 1 else board for board, domain in instances}
    rows = list(_runs(runs, names))
    algorithms = list(dict.fromkeys(row[2] for row in rows))
    first = runs.drop_duplicates(["board_name", "domain"])
    features = {
        instance: features_of(row, list(dict.fromkeys(runs["heuristic"].dropna())), plugins)
        for instance, (_, row) in zip(names.values(), first.iterrows(), strict=True)
    }
    columns = list(dict.fromkeys(name for found in features.values() for name in found))
    repeated = {algorithm for _, repetition, algorithm, *_ in rows if repetition > 1}
    files = {
        "description.txt": _description(runs, name, {each: each not in repeated for each in algorithms}, columns),
        "algorithm_runs.arff": _arff(
            f"ALGORITHM_RUNS_{name}",
            {
                **{"instance_id": "STRING", "repetition": "NUMERIC", "algorithm": "STRING"},
                **dict.fromkeys(MEASURES, "NUMERIC"),
                "runstatus": _nominal(OF_RUNS),
            },
            rows,
        ),
        "feature_values.arff": _arff(
            f"FEATURE_VALUES_{name}",
            {"instance_id": "STRING", "repetition": "NUMERIC", **dict.fromkeys(columns, "NUMERIC")},
            ([instance, 1, *(found.get(column) for column in columns)] for instance, found in features.items()),
        ),
        "feature_runstatus.arff": _arff(
            f"FEATURE_RUNSTATUS_{name}",
            {"instance_id": "STRING", "repetition": "NUMERIC", STEP: _nominal(OF_STEPS)},
            ([instance, 1, "ok" if found else "crash"] for instance, found in features.items()),
        ),
        "cv.arff": _arff(
            f"CV_{name}",
            {"instance_id": "STRING", "repetition": "NUMERIC", "fold": "NUMERIC"},
            ([instance, 1, 1 + place % FOLDS] for place, instance in enumerate(names.values())),
        ),
    }
    for file, content in files.items():
        write(folder / file, [content])
    return {"algorithm": len(algorithms), "instance": len(names), "feature": len(columns)}


def _runs(runs: pd.DataFrame, names: Mapping[tuple[str, str], str]) -> Iterator[list[Any]]:
    """Yield the cells of each run; runs of one algorithm on one instance are repetitions, with numbers from 1."""
    repetitions: dict[tuple[str, str], int] = {}
    for row in runs.to_dict("records"):
        instance = names[row["board_name"] if isinstance(row["board_name"], str) else "start", row["domain"]]
        algorithm = "/".join(str(row[part]) for part in ("heuristic", "frontier") if isinstance(row[part], str))
        number = repetitions[instance, algorithm] = repetitions.get((instance, algorithm), 0) + 1
        yield [
            *(instance, number, algorithm, _number(row["seconds"]), _number(row["expanded"])),
            STATUSES.get(str(row["status"]), "other"),
        ]


def features_of(row: Any, heuristics: Sequence[str], plugins: Plugins) -> dict[str, float | None]:
    """Return what can be said of the board of a run without a search; nothing if the board is no longer known.

    Args:
        row: the run.
        heuristics: the names of heuristics; `h_NAME` is the value of each for the board, None where it has none.
        plugins: where names are looked up.
    """
    try:
        domain, board = recorded_start(row, plugins)
        if board is None:
            board = domain.start()
        domain.check(board)
    except SearchlabError:
        return {}
    shape = getattr(board, "shape", (None, None))
    plain = (*shape, len(domain.edges(board)), domain.lower_bound(board))
    found: dict[str, float | None] = dict(zip(PLAIN, plain, strict=True))
    for name in heuristics:
        found[f"h_{name}"] = _estimate(name, domain, board, plugins)
    return found


def _estimate(name: str, domain: BoundDomain, board: Any, plugins: Plugins) -> float | None:
    try:
        return lookup.heuristic(name, domain=domain, plugins=plugins).estimate(board)
    except SearchlabError:
        return None


def _number(value: Any) -> float | None:
    """Return a cell as a number, None for a missing one."""
    return None if value != value or value is None or str(value) == "<NA>" else value


def _description(runs: pd.DataFrame, name: str, algorithms: Mapping[str, bool], features: Sequence[str]) -> str:
    """Return the description: YAML, of which JSON is a part.

    Args:
        runs, name, features: as in `write_scenario`.
        algorithms: the algorithms, and whether each has one run for an instance.
    """
    cutoffs, memory = ({*runs[name].dropna()} if name in runs else () for name in ("limit_seconds", "limit_memory"))
    stated: dict[str, Any] = {
        "scenario_id": name,
        "version": VERSION,
        "performance_measures": [*MEASURES],
        "maximize": [False for _ in MEASURES],
        "performance_type": [*MEASURES.values()],
        "algorithm_cutoff_time": max(cutoffs) if len(cutoffs) == 1 else MISSING,
        "algorithm_cutoff_memory": max(memory) / 2**20 if len(memory) == 1 else MISSING,
        "features_cutoff_time": MISSING,
        "features_cutoff_memory": MISSING,
        "features_deterministic": [*features],
        "features_stochastic": [],
        "number_of_feature_steps": 1,
        "default_steps": [STEP],
        "feature_steps": {STEP: {"provides": [*features]}},
        "metainfo_algorithms": {
            each: {"configuration": each, "deterministic": is_single} for each, is_single in algorithms.items()
        },
    }
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in stated.items())


def _nominal(values: Sequence[str]) -> str:
    return f"{{{','.join(values)}}}"


def _arff(relation: str, attributes: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a file of the format ARFF."""
    head = [f"@RELATION {_quoted(relation)}", "", *(f"@ATTRIBUTE {_quoted(k)} {v}" for k, v in attributes.items())]
    types = list(attributes.values())
    cell: dict[str, Callable[[Any], str]] = {"STRING": _quoted, "NUMERIC": _numeric}
    data = [
        ",".join(MISSING if v is None else cell.get(t, str)(v) for v, t in zip(row, types, strict=True)) for row in rows
    ]
    return "\n".join([*head, "", "@DATA", *data, ""])


def _numeric(value: float) -> str:
    """Return a number exactly; one that is infinite is missing, as ARFF has none."""
    if not isfinite(value):
        return MISSING
    return str(int(value)) if value == int(value) else repr(float(value))


def _quoted(text: str) -> str:
    """Return a text between quotation marks if ARFF would take a part of it for something else."""
    is_plain = text.replace("_", "").replace("-", "").replace(".", "").replace("/", "").isalnum() and text.isascii()
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return text if is_plain else f"'{escaped}'"
