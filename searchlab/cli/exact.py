"""`searchlab exact`: the mean scores of players of a small game of chance, computed without playing games."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    common_options,
    domain_option,
    goal_option,
    json_option,
    memory_limit_option,
    preset_option,
)
from searchlab.cli.output import as_json, page_width, put
from searchlab.cli.process import within_limits
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from searchlab.cli.session import Session
    from searchlab.games.exact_play import ExactPlay

BEST_PLAY = "best play"
CERTAIN = 0.9995
"""A tile has a column if some player reaches it with a probability below this and above 1 less this."""


@click.command(
    cls=Command,
    examples=(
        "searchlab exact greedy expectimax:depth=1 --domain 2048-random:n=2",
        "searchlab exact greedy:heuristic=left-weighted --domain 2048-random:n=2 --json",
    ),
)
@click.argument("players", nargs=-1, required=True, metavar="PLAYER…")
@domain_option("the game of searchlab play, which is too large", "2048-random:n=3")
@goal_option
@preset_option
@memory_limit_option("players")
@json_option("the figures")
@common_options
@click.pass_obj
@within_limits()
def exact(
    session: Session,
    players: tuple[str, ...],
    domain: str | None,
    goal: str | None,
    preset: str | None,
    json: bool,
) -> int:
    """Compute the exact mean scores of players of a small game.

    Each player is followed through all random events at once, so that mean scores have no sampling error. The table
    compares the players with optimal play. It also shows the mean number of moves and, for each tile, the chance that
    this tile or a larger one is on the board at the end.

    The game is 2048 with random tiles on 2 × 2 or 3 × 3 cells, or another game that sl.exact_values can solve. The move
    of a player must follow from the board alone: players that draw random numbers or have a time per move are refused.
    On 3 × 3 cells there are about a hundred million boards: a minute or more for players of one ply.

    Exit codes: 0 all are computed, 2 a usage error, 4 an error in a plugin, 130 interrupted.
    """
    from searchlab.cli.arguments import DomainChoice
    from searchlab.cli.progress import live_lines
    from searchlab.games.exact import exact_values, policy_on
    from searchlab.games.exact_tables import kept_values
    from searchlab.model.formatting import counted

    game = DomainChoice(domain, goal, session.plugins, preset, played=True).without_board()
    judged = [policy_on(game, None, name, session.plugins) for name in players]
    played: list[ExactPlay] = []
    with live_lines() as show:
        for player in judged:
            show(None, [f"player {player}"])
            played.append(
                exact_values(
                    policy=player,
                    progress=lambda progress, player=player: show(  # type: ignore[misc]
                        None, [f"player {player}: {counted(progress.expanded, 'board')}"]
                    ),
                )
            )
        show(None, [BEST_PLAY])
        best = kept_values(game).start
    if json:
        put(as_json({"domain": str(game), "best": best, "players": [_as_dict(each, best) for each in played]}), end="")
        return 0
    width = page_width()
    for line in (*wrap(str(game), width), "", *_table(played, best, width)):
        put(line)
    return 0


def _table(played: Sequence[ExactPlay], best: float, width: int) -> Iterator[str]:
    """Yield a table with a row for each player, below that of the best play."""
    from searchlab.cli.layout import table_in_parts
    from searchlab.model.formatting import aligned

    tiles = sorted({tile for each in played for tile in each.tiles})
    telling = [tile for tile in tiles if any(1 - CERTAIN < _chance(each, tile) < CERTAIN for each in played)]
    means = aligned([best, *(each.start for each in played)])
    rows = [
        ("player", "mean score", "of the best", "loss", "moves", *map(str, telling)),
        (BEST_PLAY, means[0], "100 %", "", "", *("" for _ in telling)),
    ]
    for each, mean in zip(played, means[1:], strict=True):
        share = _share(each, best)
        figures = f"{100 * share:.3f} %", f"{round(100 * (1 - share), 3) + 0.0:.3f} %", f"{each.length:,.2f}"
        rows.append(
            (one_line(str(each.player)), mean, *figures, *(f"{100 * _chance(each, tile):.1f} %" for tile in telling))
        )
    yield from table_in_parts(rows, width)


def _share(played: ExactPlay, best: float) -> float:
    """Return the mean score as a share of that of the best play; 1 if nobody earns anything."""
    return played.start / best if best else 1.0


def _chance(played: ExactPlay, tile: int) -> float:
    """Return the chance that the largest tile at the end is this one or a larger one."""
    return max((chance for other, chance in played.tiles.items() if other >= tile), default=0.0)


def _as_dict(played: ExactPlay, best: float) -> dict[str, Any]:
    """Return the figures of a player as JSON values."""
    share = _share(played, best)
    return {
        "player": str(played.player),
        "mean": played.start,
        "share": share,
        "loss": 1 - share,
        "moves": played.length,
        "tiles": {str(tile): chance for tile, chance in played.tiles.items()},
        "boards": played.states,
    }
