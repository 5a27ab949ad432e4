"""`searchlab train`: let a learner learn a game by playing it; the same command continues."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    OUTPUT_PATH,
    SECONDS,
    common_options,
    domain_option,
    json_option,
    memory_limit_option,
    preset_option,
    seed_option,
)
from searchlab.cli.output import as_json, put, tell
from searchlab.cli.process import INTERRUPTED, end_by, within_limits
from searchlab.errors import UsageError
from searchlab.model.formatting import counted, duration, memory, rounded, value

if TYPE_CHECKING:
    from searchlab.binding.extensions import BoundLearner
    from searchlab.cli.session import Session
    from searchlab.games.learning.training import Training
    from searchlab.search.watch import Watch

GAMES = 100_000
TRAINED = Path("trained")
WORTH_TELLING = 2**27
"""The bytes of memory from which the need of learning is reported."""


@click.command(
    cls=Command,
    examples=(
        "searchlab train ntuple --games 1000",
        "searchlab train ntuple --games 100000 --output my-network",
        "searchlab train ntuple --games 100000 --threads 2 --output faster",
    ),
)
@click.argument("learner", metavar="LEARNER")
@click.option(
    "--games", type=click.IntRange(min=1), default=GAMES, metavar="N", help="Number of games (default 100,000)."
)
@domain_option("the only one that LEARNER supports, else the game of searchlab play", "2048-random:n=3")
@preset_option
@seed_option
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of games to learn from at once, on as many cores (default 1); more than 1 are not reproducible.",
)
@click.option("--output", type=OUTPUT_PATH, metavar="FOLDER", help="Folder to write to (default trained/LEARNER).")
@click.option(
    "--checkpoint",
    type=SECONDS,
    metavar="TIME",
    help="Time between two checkpoints (default 1m, or 20 times the time of writing one).",
)
@memory_limit_option("learner", "the need of the learner, and half of the memory available beside it")
@json_option("the outcome")
@common_options
@click.pass_obj
@within_limits(patient=True, gets_watch=True)
def train(
    session: Session,
    learner: str,
    games: int,
    domain: str | None,
    preset: str | None,
    seed: int,
    threads: int | None,
    output: Path | None,
    checkpoint: float | None,
    json: bool,
    watch: Watch,
) -> int:
    """Let LEARNER learn a game by playing it.

    LEARNER is a name with parameters: ntuple, ntuple:rate=0.5. The folder holds the learned network (network.npz), a
    checkpoint to resume from (checkpoint.npz), and the scores of the games (curve.csv, curve.svg); all are also written
    during the training.

    Ctrl-C writes a checkpoint and ends the training; a second Ctrl-C ends it at once. So does SIGTERM, which the
    scheduler of a cluster sends. Repeating the command resumes from the last checkpoint and learns the same as without
    the interruption (except with several --threads); with more --games it continues. Only one process at a time may
    learn in a folder.

    Exit codes: 0 all games were played, 2 usage error, 3 the memory limit was exceeded, 4 error in a plugin, 5 the
    machine failed (a full disk, a folder that is gone): repeat the command to continue, 130 interrupted; 143 in a shell
    after SIGTERM.
    """
    from searchlab.cli.progress import train_progress
    from searchlab.errors.interrupts import on_ctrl_c, on_sigterm
    from searchlab.files import FolderLock, check_writable
    from searchlab.games.learning.training import CHECKPOINT, LEARNED, Training
    from searchlab.reports.learning_charts import training_picture

    bound = _bound(learner, domain, preset, threads, session)
    folder = output or TRAINED / bound.name
    what = {"learner": str(bound), "domain": str(bound.domain), "seed": str(seed)}
    with FolderLock(folder, "another process is learning in this folder") as lock:
        check_writable(folder / CHECKPOINT)
        with train_progress(games) as progress:
            training = Training(folder, what, bound(seed), lock=lock, picture=training_picture)
            given = watch.limits.memory
            if given is not None and training.memory > given:
                needed = f"needs up to {memory(training.memory)} of memory"
                raise UsageError(f"{needed}, and --memory-limit allows {memory(given)}")
            watch.grant(training.memory)
            if training.memory >= WORTH_TELLING and not json:
                tell(f"needs up to {memory(training.memory)} of memory")
            if not training.is_reproducible and not json:
                tell("several threads learn at once: not reproducible, the same command gives another network")
            if training.resume() and not json:
                played = training.curve.games
                if played < games:
                    tell(f"continues in {folder}, after {counted(played, 'game')}")
                else:
                    tell(f"after {counted(played, 'game')} nothing is left to do; --games {2 * played} goes on")
            with on_ctrl_c(training.stop), on_sigterm(training.stop) as terminated:
                is_done = training.run(games, progress, checkpoint)
    file = folder / LEARNED
    if json:
        put(as_json(_figures(training, what, file)), end="")
    else:
        for line in _summary(training, bound, file):
            put(line)
    if not is_done:
        tell("stopped; the same command resumes from here")
        if terminated.is_set():
            end_by(signal.SIGTERM)
    return 0 if is_done else INTERRUPTED


def _bound(learner: str, domain: str | None, preset: str | None, threads: int | None, session: Session) -> BoundLearner:
    """Return a learner by name, for the game and with the threads given by options."""
    from searchlab.cli.arguments import DomainChoice
    from searchlab.plugins import lookup

    game = DomainChoice(domain, None, session.plugins, preset, played=True).named()
    parameters = {} if threads is None else {"threads": threads}
    return lookup.learner(learner, domain=game, plugins=session.plugins, **parameters)


def _figures(training: Training, what: dict[str, str], file: Path) -> dict[str, object]:
    """Return the outcome of a training as JSON shows it."""
    curve = training.curve
    return {
        **what,
        "reproducible": training.is_reproducible,
        "games": curve.games,
        "moves": training.moves,
        "cpu_seconds": training.cpu_seconds,
        "mean_score": curve.mean_score,
        "best_score": curve.best_score,
        "network": str(file),
    }


def _summary(training: Training, bound: BoundLearner, file: Path) -> list[str]:
    """Return the outcome of a training in lines, the last of them on how to use it."""
    curve = training.curve
    seconds = training.cpu_seconds
    took = f"{duration(seconds)} of processor time"
    rate = f", {rounded(training.moves / seconds)} moves/s" if seconds else ""
    lines = [
        f"{bound} on {bound.domain}",
        f"{counted(curve.games, 'game')}, {counted(training.moves, 'move')} in {took}{rate}",
        f"mean score of the last games {value(round(curve.mean_score))}, best score {value(curve.best_score)}",
    ]
    if not file.is_file():
        return lines
    lines.append(f"learned: {file} (beside it a checkpoint and the curve)")
    if bound.component.plays:
        lines.append(f"try it: {bound.component.plays.replace('FILE', str(file))}")
    return lines
