"""Tune parameters: try values on some boards, and measure the best of them on other boards.

Each try is a configuration that is run on the tuning boards; optuna chooses the values from the outcomes of earlier
tries. The runs are those of an experiment: rows of its store, which are done once. All choices follow from the
experiment and the recorded figures, in an order that does not depend on how long runs take. So the same command makes
the same choices again: it finds the rows of earlier tries, and continues with the first missing row.

Figures are compared in pairs: the figure of a board in a try with the figure of the default on the same board.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean
from searchlab.errors.caller import warn_caller
from searchlab.errors.interrupts import on_ctrl_c
from searchlab.experiments.exclusions import Rule
from searchlab.experiments.matrix import code_of, full_names_of, matrix
from searchlab.experiments.objective import objective_of
from searchlab.experiments.progress import ExperimentState, shown_progress
from searchlab.experiments.quantities import QUANTITIES
from searchlab.experiments.scheduler import RESULTS, executing, kind_of
from searchlab.experiments.search_space import SearchSpace
from searchlab.experiments.specification import (
    Experiment,
    SpecificationError,
    at,
    listed_seeds,
    located,
    read_experiment,
)
from searchlab.experiments.statistics import FEWEST_PAIRS, FEWEST_SCORES, MOST_TIED
from searchlab.experiments.store import Store
from searchlab.experiments.tuning_outcome import SetFigures, Try, Tuning
from searchlab.plugins.registry import given_or_installed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from searchlab.experiments.matrix import Configuration, Matrix
    from searchlab.experiments.runs import Run, RunKind, RunRecord
    from searchlab.experiments.scheduler import Execute
    from searchlab.experiments.search_space import Value
    from searchlab.experiments.specification import TuneTable
    from searchlab.plugins.registry import Plugins

FEWEST_BOARDS = FEWEST_SCORES
"""The fewest boards of each set: with fewer there is no interval for figures with an arithmetic mean."""
FIRST_STAGE, SECOND_STAGE = FEWEST_PAIRS, MOST_TIED + 1
"""The number of boards that a try is run on before it may be ended early for the first time, and for the second; then
on twice as many, and so on. The second is the least for which SciPy's test takes no time even if differences are equal.
"""
LARGEST_SEED = 2**32 - 1
"""The largest seed of NumPy's generators, which the samplers use."""
MOST_TRIES = 100_000
SAMPLERS = {"tpe": "", "random": "", "qmc": "", "cmaes": "cmaes", "gp": "torch"}
"""The names of optuna's samplers, with the packages that they need besides."""


def tune(
    experiment: Experiment | str | Path,
    *,
    folder: str | Path | None = None,
    executor: str = "local",
    workers: int | None = None,
    retry: Collection[str] = (),
    pin: bool = False,
    progress: bool | Callable[[ExperimentState], None] | None = None,
    plugins: Plugins | None = None,
) -> Tuning:
    """Tune the parameters in the table `tune` of an experiment, or continue to do so.

    Args:
        experiment: an experiment, or the path of an experiment file.
        folder: the folder of the results; by default `results/NAME`.
        executor: the name of the executor.
        workers: the number of simultaneous runs; by default the number of cores.
        retry: statuses of runs that are tried again.
        pin: whether each worker is bound to its own processor.
        progress: whether to show the progress, as for `searchlab.run`.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Raises:
        UsageError: the experiment is invalid, optuna is not installed, the folder cannot be written, or another process
            writes to it.
        MachineError: the disk is full, the folder is gone, or worker processes die.
    """
    plugins = given_or_installed(plugins)
    if not isinstance(experiment, Experiment):
        experiment = read_experiment(experiment)
    plan = tuning_plan(experiment, plugins)
    messages: list[str] = []
    with nullcontext(progress) if callable(progress) else shown_progress(progress) as on_progress:
        outcome = run_tuning(
            plan,
            folder=Path(folder) if folder else RESULTS / experiment.name,
            executor=executor,
            workers=workers,
            retry=retry,
            pin=pin,
            on_progress=on_progress,
            report=messages.append,
        )
    for message in messages:  # only now: as an error, a warning would end the runs
        warn_caller(message)
    return outcome


@dataclass(frozen=True)
class TuningPlan:
    """A tuning that is ready to begin.

    Attributes:
        experiment: the experiment.
        table: the parameters that are tuned, and how.
        matrix: the runs of the default.
        space: the configurations among which the best is sought.
        plugins: the plugins that names are looked up in.
        unit: the unit of the sets, over which figures are averaged: "board", or "seed" if there is only one board.
        tuning, validation: the units of both sets.
    """

    experiment: Experiment
    table: TuneTable
    matrix: Matrix
    space: SearchSpace
    plugins: Plugins
    unit: str
    tuning: Sequence[str]
    validation: Sequence[str]

    @cached_property
    def runs_of(self) -> dict[str, list[Run]]:
        """The runs of the default, by unit."""
        return _by_unit(self.matrix.runs, self.unit)

    @property
    def most_runs(self) -> int:
        """The number of runs if no try is ended early."""
        of_set = [sum(len(self.runs_of[unit]) for unit in units) for units in (self.tuning, self.validation)]
        return (1 + self.table.tries) * of_set[0] + 2 * of_set[1]

    def lines(self) -> list[str]:
        """Return a description in lines."""
        return [
            f"parameters:\n{chr(10).join(f'  {one}' for one in self.space.dimensions)}",
            f"{self.unit}s: {len(self.tuning):,} for tuning, {len(self.validation):,} for validation",
            f"tries: {self.table.tries:,}, sampler {self.table.sampler}",
            f"runs: {self.most_runs:,} at most",
        ]


def tuning_plan(
    experiment: Experiment, plugins: Plugins, on_progress: Callable[[int, int, str], None] | None = None
) -> TuningPlan:
    """Return the plan of an experiment's tuning.

    Args:
        on_progress: called as each board is generated, see `board_sources`.

    Raises:
        UsageError: the experiment is invalid, or optuna is not installed; one line, with the place in the file.
    """
    with located(experiment.source):
        table = experiment.tune
        if table is None:
            raise UsageError(f"{experiment.name}: no [tune] table says what to tune")
        _check_table(table)
        for key, is_given in {"runs": experiment.runs, "pair": experiment.pair}.items():
            if is_given:
                raise SpecificationError((key,), "one configuration is tuned at a time: leave it out")
        if experiment.repeat_until is not None:
            raise SpecificationError(("repeat-until",), "tries are not repeated: give a number of repetitions")
        for key in ("domains", "heuristics", "frontiers", "players"):
            if len(getattr(experiment, key)) > 1:
                raise SpecificationError((key,), "one is tuned at a time: name the one to tune")
        objective_of(experiment, table, plugins)  # before boards are generated
    made = matrix(replace(experiment, tune=None), plugins, on_progress=on_progress)
    with located(experiment.source):
        if not made.runs:
            why = made.skipped[0].reason if made.skipped else "there are no boards"
            raise SpecificationError((), f"nothing can be run: {why}")
        if len(made.domains) > 1:
            raise SpecificationError(("boards",), f"boards of several domains ({', '.join(made.domains)}): tune one")
        unreadable = next((run.instance for run in made.runs if run.instance.fault), None)
        if unreadable:
            raise SpecificationError(("boards",), f"{unreadable.name}: {unreadable.fault}")
        space = SearchSpace(made, table.parameters, plugins)
        unit = "board" if len(_by_unit(made.runs, "board")) > 1 else "seed"
        tuning, validation = _sets(list(_by_unit(made.runs, unit)), unit, table)
        return TuningPlan(experiment, table, made, space, plugins, unit, tuning, validation)


def _check_table(table: TuneTable) -> None:
    """Raise a SpecificationError if a value is out of range, or a UsageError without optuna."""
    if not table.parameters:
        raise SpecificationError(("tune", "parameters"), "name the parameters to tune")
    ranges = {"tries": (1, MOST_TRIES), "parallel-tries": (1, MOST_TRIES), "seed": (0, LARGEST_SEED)}
    for key, (least, most) in ranges.items():
        value = getattr(table, key.replace("-", "_"))
        if not least <= value <= most:
            raise SpecificationError(("tune", key), f"a whole number from {least} to {most:,} is wanted, not {value}")
    if isinstance(table.validation, float) and not 0 < table.validation < 1:
        raise SpecificationError(("tune", "validation"), f"a share between 0 and 1 is wanted, not {table.validation}")
    if table.sampler not in SAMPLERS:
        raise SpecificationError(
            ("tune", "sampler"), f"there is no sampler {table.sampler!r:.40}: {did_you_mean(table.sampler, SAMPLERS)}"
        )
    for package in ("optuna", SAMPLERS[table.sampler]):
        if package and find_spec(package) is None:
            needs = "tune" if package == "optuna" else f"the sampler {table.sampler}"
            raise UsageError(f"{needs} needs {package}; install it with: pip install {package}")


def _by_unit(runs: Iterable[Run], unit: str) -> dict[str, list[Run]]:
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.instance.name if unit == "board" else str(run.seed), []).append(run)
    return found


def _sets(units: Sequence[str], unit: str, table: TuneTable) -> tuple[list[str], list[str]]:
    """Return the boards or seeds for tuning, and those for validation.

    Raises:
        SpecificationError: a set is too small, or a name fits no board.
    """
    with at("tune", "validation"):
        if isinstance(table.validation, float):
            shuffled = list(units)
            random.Random(table.seed).shuffle(shuffled)
            chosen = {*shuffled[: round(table.validation * len(units))]}
        elif unit == "seed":
            chosen = {*map(str, listed_seeds(table.validation))}
            if unknown := [seed for seed in chosen if seed not in units]:
                raise UsageError(f"{unknown[0]} is not a seed of this experiment, which has only one board")
        else:
            chosen = set()
            for pattern in map(str, table.validation):
                fitting = [name for name in units if Rule("", pattern, {}).fits_board(name)]
                if not fitting:
                    raise UsageError(f"{pattern} is not a board of this experiment")
                chosen.update(fitting)
        sets = [name for name in units if name not in chosen], [name for name in units if name in chosen]
        if min(map(len, sets)) < FEWEST_BOARDS:
            have = f"{len(sets[0])} for tuning and {len(sets[1])} for validation"
            raise UsageError(f"too few {unit}s: {have}; each set needs {FEWEST_BOARDS}")
    return sets


def run_tuning(
    plan: TuningPlan,
    *,
    folder: Path,
    executor: str = "local",
    workers: int | None = None,
    retry: Collection[str] = (),
    pin: bool = False,
    on_progress: Callable[[ExperimentState], None] = lambda _: None,
    report: Callable[[str], None] = lambda _: None,
) -> Tuning:
    """Run the rest of a tuning, and return its outcome; after Ctrl-C it has no best try.

    Args:
        plan: the plan of the tuning.
        folder, executor, workers, pin, on_progress, report: see `executing`.
        retry: statuses of runs that are tried again.

    Raises:
        UsageError: the default fails, the folder cannot be written, or there is no such executor or status.
        MachineError: the disk is full, the folder is gone, or worker processes die.
    """
    kind = kind_of(plan.experiment, retry)
    with executing(
        plan.experiment,
        plan.plugins,
        total=plan.most_runs,
        folder=folder,
        executor=executor,
        workers=workers,
        pin=pin,
        on_progress=lambda state: on_progress(runs.with_all(state)),
        report=report,
    ) as execute:
        runs = _Runs(plan, execute, retry, _recorded(folder, kind, retry))
        with on_ctrl_c(runs.stop):
            return _Study(plan, runs, folder).outcome()


def recorded_tuning(experiment: Experiment, folder: Path, plugins: Plugins) -> Tuning:
    """Return the outcome of a tuning from recorded runs, without running anything; no best try if runs are missing.

    Args:
        experiment: the experiment.
        folder: the folder of the results.
        plugins: the plugins that names are looked up in.

    Raises:
        UsageError: the experiment is invalid here, the default fails, or optuna is not installed.
    """
    plan = tuning_plan(experiment, plugins)
    rows = _recorded(folder, kind_of(experiment, ()), ())

    def execute(runs: Sequence[Run], *_: Any, **__: Any) -> ExperimentState:
        if any(run.identity not in rows for run in runs):
            raise _TuningStopped
        return ExperimentState(len(runs))

    return _Study(plan, _Runs(plan, execute, (), rows), folder).outcome()


def _recorded(folder: Path, kind: RunKind, retry: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the recorded runs by identity, without those that are tried again."""
    with Store(folder) as store:
        figures = [name for name in QUANTITIES if name in kind.stored]
        names = ["identity", "status", "reason", "metrics", *figures]
        rows = [
            dict(zip(names, cells, strict=True)) for some in store.columns(names) for cells in zip(*some, strict=True)
        ]
    return {row["identity"]: {**row["metrics"], **row} for row in rows if row["status"] not in retry}


class _TuningStopped(Exception):
    """Ctrl-C was pressed, or runs are missing that may not be done."""


class _Runs:
    """The runs of a tuning: found in the store, or executed.

    Attributes:
        state: the number of all runs so far.
    """

    def __init__(
        self, plan: TuningPlan, execute: Execute, retry: Collection[str], rows: dict[str, dict[str, Any]]
    ) -> None:
        self._plan, self._execute, self._retry, self._rows = plan, execute, retry, rows
        self._asked: dict[str, Run] = {}
        self._used: list[Configuration] = []
        self._made: dict[tuple[str, ...], dict[str, list[Run]]] = {}
        self.state = ExperimentState(plan.most_runs)

    def stop(self) -> None:
        """Do no more runs."""
        self.state.stopping = True

    def with_all(self, state: ExperimentState) -> ExperimentState:
        """Return the state of the runs under way with the numbers of all runs."""
        ours = self.state
        statuses = ours.statuses + state.statuses
        return replace(
            state,
            total=ours.total,
            kept=ours.kept,
            done=ours.done + state.done,
            statuses=statuses,
            began=ours.began,
            others=0,
        )

    def do(self, wanted: Iterable[tuple[Configuration, Sequence[str]]]) -> None:
        """Do the runs of configurations on units that are not recorded.

        Raises:
            _TuningStopped: Ctrl-C was pressed.
        """
        if self.state.stopping:
            raise _TuningStopped
        missing: dict[str, Run] = {}
        configurations = []
        for configuration, units in wanted:
            for run in self._of(configuration, units):
                if run.identity in self._asked:  # a try with the values of an earlier one
                    self.state.total -= 1
                    continue
                self._asked[run.identity] = run
                if run.identity in self._rows:
                    self.state.kept += 1
                    self.state.statuses[self._rows[run.identity]["status"]] += 1
                else:
                    missing[run.identity] = run
            configurations.append(configuration)
        self._used += configurations
        if missing:
            code, names = code_of(configurations), full_names_of(configurations)
            state = self._execute(list(missing.values()), code, names, self._retry, on_record=self._take)
            self.state = replace(self.with_all(state), under_way=[])
            if state.stopping:
                raise _TuningStopped

    def _take(self, record: RunRecord) -> None:
        self._rows[record.run.identity] = {**record.metrics, **record.cells}

    def rows(self, configuration: Configuration, unit: str) -> list[dict[str, Any]]:
        """Return the rows of a configuration on a board or a seed."""
        return [self._rows[run.identity] for run in self._of(configuration, [unit])]

    def request_all(self) -> None:
        """Record that all runs were asked for, so that `results` shows them, not those of edited plugins."""
        state = self.state
        self.state = replace(state, statuses=Counter())  # `with_all` adds those of the runs that are given
        self._execute(list(self._asked.values()), code_of(self._used), full_names_of(self._used))
        self.state = state

    def _of(self, configuration: Configuration, units: Iterable[str]) -> Iterator[Run]:
        """Yield the runs of a configuration: those of the default with other components."""
        names = {kind: part.name for kind, part in configuration.parts.items()}
        made = self._made.setdefault(tuple(names.values()), {})
        for unit in units:
            if unit not in made:
                of_default = self._plan.runs_of[unit]
                made[unit] = [replace(run, parts=names, plugins=configuration.plugins) for run in of_default]
            yield from made[unit]


@dataclass
class _Trial:
    """A try under way: the trial in optuna's study, and the units in the order of the runs."""

    trial: Any
    values: Mapping[str, Value]
    configuration: Configuration
    units: list[str]
    done: int = 0
    differences: list[float] = field(default_factory=list)
    is_ended: bool = False


class _Study:
    """The tries of a tuning, in their order."""

    def __init__(self, plan: TuningPlan, runs: _Runs, folder: Path) -> None:
        self._plan, self._runs, self._folder = plan, runs, folder
        self._objective = objective_of(plan.experiment, plan.table, plan.plugins)
        self._default = plan.space.configuration({})
        self._tries: list[Try] = []
        self._places = {unit: place for place, unit in enumerate(plan.tuning)}
        self._best: tuple[float, Try, Configuration, dict[str, float]] | None = None
        """Its mean difference from the default, and the differences by unit."""

    def outcome(self) -> Tuning:
        """Do all tries, then run the best of them and the default on the validation set."""
        tuning = validation = None
        plan = self._plan
        try:
            self._try_all()
            assert self._best is not None
            best = self._best[2]
            self._runs.do([(self._default, plan.validation), (best, plan.validation)])
            self._check_default(plan.validation)
            self._runs.request_all()
            tuning = self._set("tuning", best, plan.tuning)
            validation = self._set("validation", best, plan.validation)
            self._runs.state.total = self._runs.state.kept + self._runs.state.done
        except _TuningStopped:
            self._runs.stop()
        return Tuning(
            folder=self._folder,
            objective=self._objective,
            default=_name_of(self._default),
            default_values={one.name: one.default for one in plan.space.dimensions},
            best=self._best[1] if validation and self._best else None,
            tries=tuple(self._tries),
            tuning=tuning,
            validation=validation,
            unit=plan.unit,
            state=self._runs.state,
        )

    def _try_all(self) -> None:
        table, space, units = self._plan.table, self._plan.space, list(self._plan.tuning)
        self._runs.do([(self._default, units)])
        self._check_default(units)
        with _quiet_optuna():
            study = _new_study(table)
            nothing = dict.fromkeys(units, 0.0)
            values = {one.name: one.default for one in space.dimensions}
            self._best = (
                0.0,
                Try(0, values, _name_of(self._default), len(units), 0.0, ended_early=False),
                self._default,
                nothing,
            )
            if all(one.holds_default for one in space.dimensions):
                study.enqueue_trial(values)
                first = self._asked(study, 0)
                for unit in units:
                    first.trial.report(0.0, self._places[unit])
                study.tell(first.trial, 0.0)
            while len(self._tries) < table.tries:
                count = min(table.parallel_tries, table.tries - len(self._tries))
                trials = [self._asked(study, 1 + len(self._tries) + number) for number in range(count)]
                self._run(trials)
                for trial in trials:
                    self._end(study, trial)

    def _asked(self, study: Any, number: int) -> _Trial:
        """Return the next try that a study asks for."""
        trial = study.ask()
        values = {one.name: one.suggested_by(trial) for one in self._plan.space.dimensions}
        with located(self._plan.experiment.source), at("tune", "parameters"):
            configuration = self._plan.space.configuration(values)
        units = list(self._plan.tuning)
        # Every try begins with other boards: the same few would decide about all of them.
        random.Random(f"{self._plan.table.seed} {number}").shuffle(units)
        return _Trial(trial, values, configuration, units)

    def _run(self, trials: Sequence[_Trial]) -> None:
        """Run tries on more and more units, until they are finished or ended early."""
        until = FIRST_STAGE
        while left := [one for one in trials if not one.is_ended and one.done < len(one.units)]:
            self._runs.do([(one.configuration, one.units[one.done : until]) for one in left])
            for one in left:
                for unit in one.units[one.done : until]:
                    one.differences.append(self._difference(one.configuration, unit))
                    one.trial.report(one.differences[-1], self._places[unit])
                one.done = min(until, len(one.units))
                if self._plan.table.prune and one.done < len(one.units):
                    # Ended with a mean better than that of the best, it would be taken for the best.
                    one.is_ended = self._behind(one) > 0 and one.trial.should_prune()
                    if one.is_ended:
                        self._runs.state.total -= sum(len(self._plan.runs_of[unit]) for unit in one.units[one.done :])
            until = max(2 * until, SECOND_STAGE)

    def _end(self, study: Any, one: _Trial) -> None:
        """Report the outcome of a try to a study; for a try that was ended early, the extrapolated outcome."""
        import numpy as np

        assert self._best is not None
        differences = np.array(one.differences)
        gain = self._objective.gain(differences, self._scaled(self._default, one.units[: one.done]))
        made = Try(1 + len(self._tries), one.values, _name_of(one.configuration), one.done, gain, one.is_ended)
        self._tries.append(made)
        value = self._best[0] + self._behind(one) if one.is_ended else float(differences.mean())
        study.tell(one.trial, value)
        if not one.is_ended and value < self._best[0]:
            by_unit = dict(zip(one.units, one.differences, strict=True))
            self._best = value, made, one.configuration, by_unit

    def _behind(self, one: _Trial) -> float:
        """Return by how much a try is worse than the best so far, on the units of the try."""
        assert self._best is not None
        best = sum(self._best[3][unit] for unit in one.units[: one.done])
        return (sum(one.differences) - best) / one.done

    def _difference(self, configuration: Configuration, unit: str) -> float:
        """Return how much worse a configuration is than the default on a unit, on the objective's scale."""
        ours, theirs = self._scaled(configuration, [unit]), self._scaled(self._default, [unit])
        return self._objective.sign * float(ours[0] - theirs[0])

    def _scaled(self, configuration: Configuration, units: Sequence[str]) -> NDArray[np.float64]:
        """Return the figure of each unit, the mean of its runs on the scale of the objective."""
        import numpy as np

        objective, means = self._objective, []
        for unit in units:
            figures = [objective.figure(row) for row in self._runs.rows(configuration, unit)]
            scaled = [objective.scaled(objective.unsolved if value is None else value) for value in figures]
            means.append(sum(scaled) / len(scaled))
        return np.array(means)

    def _set(self, name: str, best: Configuration, units: Sequence[str]) -> SetFigures:
        objective = self._objective
        default, tuned = self._scaled(self._default, units), self._scaled(best, units)
        gain = objective.gain(objective.sign * (tuned - default), default)
        interval = objective.interval(objective.sign * (tuned - default), default) if name == "validation" else None
        unsolved = [
            sum(objective.figure(row) is None for unit in units for row in self._runs.rows(one, unit))
            for one in (self._default, best)
        ]
        means = objective.mean(default), objective.mean(tuned)
        return SetFigures(name, len(units), *means, gain, interval, (unsolved[0], unsolved[1]))

    def _check_default(self, units: Iterable[str]) -> None:
        """Raise a UsageError if a run of the default failed, because tries are compared with it."""
        for unit in units:
            for row in self._runs.rows(self._default, unit):
                if row["status"] == "error":
                    name = f"seed {unit}" if self._plan.unit == "seed" else unit
                    again = "--retry error does it again"
                    raise UsageError(
                        f"the default, {_name_of(self._default)}, fails on {name}: {row['reason']}; {again}"
                    )


def _name_of(configuration: Configuration) -> str:
    """Return the names of a configuration's components, without the domain."""
    return " / ".join(part.name for kind, part in configuration.parts.items() if kind != "domain")


@contextmanager
def _quiet_optuna() -> Iterator[None]:
    """Let optuna neither log each try nor warn that a sampler or pruner is experimental."""
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            for module in ("optuna", "scipy"):  # of equal figures, for example, which are told in the outcome
                warnings.filterwarnings("ignore", module=rf"{module}\b")
            yield
    finally:
        optuna.logging.set_verbosity(level)


def _new_study(table: TuneTable) -> Any:
    """Create an optuna study in memory; its choices depend only on the seed and the reported outcomes."""
    from optuna import create_study, samplers
    from optuna.pruners import WilcoxonPruner

    makers: dict[str, Callable[[], Any]] = {
        "tpe": lambda: samplers.TPESampler(seed=table.seed, multivariate=True, constant_liar=True),
        "random": lambda: samplers.RandomSampler(seed=table.seed),
        "qmc": lambda: samplers.QMCSampler(seed=table.seed, scramble=True),
        "cmaes": lambda: samplers.CmaEsSampler(seed=table.seed),
        "gp": lambda: samplers.GPSampler(seed=table.seed),
    }
    return create_study(sampler=makers[table.sampler](), pruner=WilcoxonPruner())
