"""A plugin that brings one of everything; each raises what is no ordinary exception, or cannot be shown."""

from searchlab import Board, Domain, Executor, Generator, Learner, Metric, Player, Renderer, hookimpl


class Bad(BaseException):
    """It cannot be shown."""

    def __str__(self):
        raise Bad

    __repr__ = __str__


def bad(*_, **__):
    raise Bad


def h(tiles):
    raise Bad


def leaves(tiles):
    raise SystemExit(0)


def compiled(tiles):
    if tiles[0, 0] >= 0:
        raise SystemExit
    return 1


def player(board, moves):
    raise Bad


class Pool:
    """An executor that takes no work."""

    def submit(self, *_):
        raise SystemExit(0)

    def shutdown(self, *_, **__):
        raise Bad


class Learns:
    """It does not."""

    def learn(self, moves, games):
        raise SystemExit(0)

    def state(self):
        return {}


def after(board):
    return Board([[board.tile_at(0, 0) + 1]])


def half_way(board):
    yield "next", after(board)
    if board.tile_at(0, 0) > 3:
        raise SystemExit(0)


def huge(board):
    yield "next", after(board), 10**400


def endless(board):
    following = after(board)
    while True:
        yield "next", following


@hookimpl
def searchlab_domains():
    own = {"is_goal": lambda board: False, "start": lambda: Board([[1]])}
    yield Domain("half-way", half_way, **own)
    yield Domain("huge", huge, **own, unit_cost=False)
    yield Domain("endless", endless, **own)
    yield Domain("no-goals", half_way, **{**own, "is_goal": lambda board: bad()})


@hookimpl
def searchlab_players():
    yield Player("leaves", lambda board, moves: leaves(board))


@hookimpl
def searchlab_metrics():
    yield Metric("bad", lambda result: bad())


@hookimpl
def searchlab_generators():
    yield Generator("bad", lambda random: bad(), domains={"2048"})


@hookimpl
def searchlab_renderers():
    yield Renderer("bad", lambda board: bad())


@hookimpl
def searchlab_executors():
    yield Executor("bad", lambda workers: bad())
    yield Executor("pool", lambda workers: Pool())


@hookimpl
def searchlab_learners():
    yield Learner("bad", lambda domain, seed: bad())
    yield Learner("learns", lambda domain, seed: Learns())


@hookimpl
def searchlab_run_started(run):
    raise SystemExit(0)


@hookimpl
def searchlab_run_finished(run, result):
    raise Bad


@hookimpl
def searchlab_run_failed(run, result):
    raise Bad


@hookimpl
def searchlab_experiment_started(experiment):
    raise SystemExit(0)


@hookimpl
def searchlab_experiment_finished(experiment):
    raise Bad
