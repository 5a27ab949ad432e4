"""How far learning is: a bar on a terminal, elsewhere a line every so often."""

from __future__ import annotations

import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

from searchlab.cli.figures import duration, grouped, rounded
from searchlab.cli.progress import is_watched, live_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.games.learning.course import Course

LOOKS_BACK = 50
"""Looks at a course over which its speed is taken."""


@contextmanager
def train_progress(games: int) -> Iterator[Callable[[Course], None]]:
    """Yield what takes a course that is to have so many games, and shows how far it is."""
    with live_lines() as show:
        if is_watched():
            show(None, ["starting"])
        speed = Speed()

        def watch(course: Course) -> None:
            show(min(course.curve.games, games) / games, lines(course, games, *speed.after(course)))

        yield watch


class Speed:
    """How fast a course is, by the clock on the wall."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, int, int]] = deque(maxlen=LOOKS_BACK)

    def after(self, course: Course) -> tuple[float, float]:
        """Return moves and games a second over the last looks, 0 before there are two."""
        look = time.monotonic(), course.moves, course.curve.games
        self._looks.append(look)
        seconds, moves, games = (now - before for now, before in zip(look, self._looks[0], strict=True))
        return (moves / seconds, games / seconds) if seconds > 0 else (0.0, 0.0)


def lines(course: Course, games: int, moves_per_second: float, games_per_second: float) -> list[str]:
    """Return how far a course is, how good, how fast, and how long it still takes."""
    ended = course.curve.games
    said = f"{ended:,} of {games:,} games"
    if games_per_second and ended < games:
        said += f", about {duration((games - ended) / games_per_second)} left"
    how_good = [f"mean score {grouped(round(course.curve.mean_score))}"] if ended else []
    how_fast = [f"{rounded(moves_per_second)} moves/s"] if moves_per_second else []
    return [said, " · ".join(how_good + how_fast)]
