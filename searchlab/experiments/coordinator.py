"""The coordinator gives runs to an executor, and what became of them to the store.

Runs are given in small chunks, as many as take a fraction of a second, so that little is lost when the process is
killed, Ctrl-C is prompt, and no worker sits idle at the end. What the store holds is not done again.
"""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from searchlab.errors import PluginCode, PluginError, SearchlabError, in_one_line, with_type
from searchlab.experiments.hands import ended_outside
from searchlab.experiments.performing import perform, under_way
from searchlab.experiments.runs import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from concurrent.futures import Executor

    from searchlab.experiments.hands import Current
    from searchlab.experiments.messages import Setup
    from searchlab.experiments.runs import Run
    from searchlab.experiments.store import Store

CHUNK_SECONDS = 0.3
"""About as long a chunk takes; one run at least."""
LARGEST_CHUNK = 400
AHEAD = 2
"""So many chunks a worker has, so that it need not wait for the next."""
POLL_SECONDS = 0.1
COMMIT_SECONDS = 0.2
LOST_TIMES = 3
"""So often a chunk is given out again whose executor lost it."""
EXECUTOR = PluginCode(lambda error: PluginError(f"the executor failed: {in_one_line(error)}"), (SearchlabError,))
"""The context in which an executor is asked for something."""


class _WorkerLost(Exception):
    """An executor raised something in the place of what its worker did."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


@dataclass
class State:
    """How far an experiment is.

    Attributes:
        total: all runs.
        kept: those that were done before.
        done: those done now.
        statuses: how many of all ended how.
        under_way: what is being done at the moment, as far as that is known here.
        began: when, by `time.monotonic`.
        run_seconds: what the runs done now took together.
        stopping: whether no more runs are begun.
    """

    total: int
    kept: int = 0
    done: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    under_way: list[Current] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    run_seconds: float = 0.0
    stopping: bool = False


class Coordinator:
    """One go at an experiment.

    Args:
        runs: all of it.
        store: what is done, and where to put what is done now.
        executor: does `perform`.
        setup: what workers are told.
        workers: how many chunks are worked on at once.
        order_seed: the runs are done in an order that this decides, so that a noisy minute hits all alike.
        retry: statuses that are to be tried again.
        solutions: whether the moves of solutions and games are kept.
        watch: called a few times a second.
        tell: called with each thing that is to be told of plugins, once.

    Attributes:
        state: how far it is.
    """

    def __init__(
        self,
        runs: Iterable[Run],
        store: Store,
        executor: Executor,
        setup: Setup,
        *,
        workers: int,
        order_seed: int = 1,
        retry: Collection[str] = (),
        solutions: bool = True,
        watch: Callable[[State], None] = lambda _: None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._store, self._executor, self._setup = store, executor, setup
        self._workers, self._solutions, self._watch, self._tell = workers, solutions, watch, tell
        self._told: set[str] = set()
        recorded = store.statuses()
        by_identity: dict[str, Run] = {}
        self._former: dict[str, Run] = {}
        for run in runs:
            if run.identity not in recorded and run.former_identity in recorded:
                # It keeps the identity it was recorded with: another attempt is one of the same run.
                by_identity[run.former_identity] = run
                self._former[run.identity] = replace(run, plugins=run.former_plugins)
            else:
                by_identity[run.identity] = run
        ended = {identity: status for identity, status in recorded.items() if identity in by_identity}
        left = [run for identity, run in by_identity.items() if ended.get(identity, "") in ("", *retry)]
        random.Random(order_seed).shuffle(left)
        self._waiting = deque(left)
        self._records: list[Record] = []
        self._committed = time.monotonic()
        self._mean_seconds = CHUNK_SECONDS
        self._lost: Counter[str] = Counter()
        kept = [status for status in ended.values() if status not in retry]
        self.state = State(len(by_identity), kept=len(kept), statuses=Counter(kept))

    def stop(self) -> None:
        """Begin no more runs; those that are under way are finished."""
        self.state.stopping = True

    def run(self) -> State:
        """Do what is left; return how far it came.

        Raises:
            SearchlabError: the workers cannot do it; what was done until then is in the store.
        """
        given: dict[Future[tuple[list[Record], list[str]]], tuple[list[Run], float]] = {}
        try:
            self._settle_unreadable()
            while self._waiting or given:
                if self.state.stopping:
                    self._waiting.clear()
                    for future in list(given):
                        if future.cancel():
                            del given[future]
                while self._waiting and len(given) < AHEAD * self._workers:
                    chunk = self._next_chunk()
                    with EXECUTOR:
                        future = self._executor.submit(perform, self._setup, chunk, CHUNK_SECONDS)
                    given[future] = chunk, time.monotonic()
                with EXECUTOR:
                    done = wait(given, POLL_SECONDS, FIRST_COMPLETED).done
                for future in done:
                    self._take(future, *given.pop(future))
                self._commit(COMMIT_SECONDS)
                self.state.under_way = under_way()
                self._watch(self.state)
        finally:
            self._commit()
        self._watch(self.state)
        return self.state

    def _settle_unreadable(self) -> None:
        """Record runs whose board could not be read: there is nothing to do."""
        readable: deque[Run] = deque()
        for run in self._waiting:
            if run.start.fault:
                outcome = ended_outside(run, "error", run.start.fault)
                self._note(Record(run, outcome.cells, {}, "", outcome.finished, {}))
            else:
                readable.append(run)
        self._waiting = readable

    def _next_chunk(self) -> list[Run]:
        """Return as many runs as should take a fraction of a second, fewer towards the end."""
        fair = len(self._waiting) // (AHEAD * self._workers) + 1
        size = max(1, min(LARGEST_CHUNK, fair, int(CHUNK_SECONDS / max(self._mean_seconds, 1e-4))))
        return [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]

    def _take(self, future: Future[tuple[list[Record], list[str]]], runs: list[Run], given_at: float) -> None:
        """Take what a chunk came to; what was not done of it waits again."""
        try:
            with PluginCode(_WorkerLost, (SearchlabError,)):
                records, problems = future.result()
        except _WorkerLost as lost:
            self._lose(runs, lost.error)
            return
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self._tell(problem)
        for record in records:
            self._note(record)
        if records:
            latest = (time.monotonic() - given_at) / AHEAD / len(records)
            self._mean_seconds += 0.5 * (latest - self._mean_seconds)
        self._waiting.extend(runs[len(records) :])

    def _lose(self, runs: list[Run], error: BaseException) -> None:
        """Let the runs of a chunk whose worker was lost be done again, one by one; in the end they are errors."""
        self._tell(f"a worker was lost ({with_type(error)}); its runs are repeated")
        self._mean_seconds = CHUNK_SECONDS
        for run in runs:
            self._lost[run.identity] += 1
            if self._lost[run.identity] < LOST_TIMES:
                self._waiting.append(run)
                continue
            outcome = ended_outside(run, "error", f"its worker was lost {LOST_TIMES} times: {with_type(error)}")
            self._note(Record(run, outcome.cells, {}, "", outcome.finished, {}))

    def _note(self, record: Record) -> None:
        if not self._solutions:
            record = replace(record, cells={**record.cells, "actions": None})
        record = replace(record, run=self._former.get(record.run.identity, record.run))
        self._records.append(record)
        self.state.done += 1
        self.state.statuses[str(record.cells["status"])] += 1
        self.state.run_seconds += float(record.cells["seconds"] or 0.0)

    def _commit(self, after: float = 0.0) -> None:
        """Write what is done, if the last time is so many seconds ago."""
        if self._records and time.monotonic() - self._committed >= after:
            records, self._records = self._records, []
            self._store.add(records)
            self._committed = time.monotonic()
