"""Certificates of the runs of an experiment: a file for each run, in a folder beside the results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.errors import MachineError, SearchlabError
from searchlab.experiments.loading import certificate_file
from searchlab.experiments.replay import recorded_start, replay_solution
from searchlab.model.limits import Limits
from searchlab.model.results import Result
from searchlab.plugins.registry import given_or_installed
from searchlab.search.certificate import why_no_certificate, write_certificate
from searchlab.search.closed_states import CheaperSolution
from searchlab.search.solve import problem as problem_of
from searchlab.search.solve import versions
from searchlab.search.watch import Stopped, Watch

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from searchlab.plugins.registry import Plugins
    from searchlab.search.problem import Problem


def certify(row: pd.Series[Any], folder: Path, plugins: Plugins | None = None, memory: int | None = None) -> str:
    """Write the certificate of a run of searches; return why there is none, `''` if it was written.

    Args:
        row: a row of `load_results`.
        folder: the folder of the experiment.
        plugins: the plugins that names are looked up in; by default the installed ones.
        memory: the number of bytes that the closed states may take.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        problem, result = _recorded(row, given_or_installed(plugins))
        why = why_no_certificate(result)
        if not why:
            path = folder / certificate_file(str(row["identity"]))
            path.parent.mkdir(exist_ok=True)
            problem.prepare()
            write_certificate(path, problem, result, Watch(Limits(memory=memory)))
    except Stopped as stopped:
        if stopped.status == "interrupted":
            raise KeyboardInterrupt from None
        return "its closed states need more memory"
    except CheaperSolution as found:
        return f"its result is wrong: {found}"
    except MachineError:
        raise
    except SearchlabError as error:
        return str(error)
    return why


def _recorded(row: pd.Series[Any], plugins: Plugins) -> tuple[Problem, Result]:
    """Return the problem and the result of a run."""
    missing = row.isna()
    if not missing["actions"]:
        return replay_solution(row, plugins=plugins)
    domain, start = recorded_start(row, plugins)
    heuristic = None if missing["heuristic"] else row["heuristic"]
    named = {"domain": domain, "heuristic": heuristic, "frontier": row["frontier"]}
    problem = problem_of(start, **named, plugins=plugins.for_data("the recorded run"))
    bound = None if missing["lower_bound"] else float(row["lower_bound"])
    names = str(problem.domain), str(problem.heuristic), str(problem.frontier)
    figures = {"lower_bound": bound, "stored": int(row["stored"]), "engine": row["engine"]}
    return problem, Result(row["status"], problem.board, *names, versions=dict(versions()), **figures)
