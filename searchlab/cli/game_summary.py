"""GameReport: a game for people: how it ended, what it took, and its moves and boards, those of a long one folded."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from searchlab.cli.figures import counted, duration, rounded, value
from searchlab.cli.layout import folded
from searchlab.cli.path import board_lines, move_lines
from searchlab.cli.styling import joined, styled

if TYPE_CHECKING:
    from searchlab.cli.drawing import Drawer
    from searchlab.model.games import Game

COLOURS = {"goal": "green", "error": "red"}
DOT = " · "


@dataclass(frozen=True)
class GameReport:
    """A game that was played, and what draws its boards."""

    game: Game
    drawer: Drawer

    def text(self, *, width: int, colour: bool) -> str:
        """Return what `searchlab play` shows to people, lines no longer than `width`."""
        game = self.game
        first, *others = wrap(self.outcome, width)
        if colour:
            first = styled(first, bold=True, fg=COLOURS.get(game.status, "yellow"))
        sections = [
            [first, *others, *folded([game.domain, game.player, f"seed {game.seed}"], width, DOT)],
            folded(self._figures(), width, DOT),
            move_lines(game.actions, width) if game.actions else [],
            board_lines(game.boards, game.actions, self.drawer, width, "--transcript prints all"),
        ]
        lines = [line for section in sections if section for line in ["", *section]][1:]
        return joined("\n", [*lines, ""])

    @property
    def outcome(self) -> str:
        """How the game ended, in one line."""
        game = self.game
        cost = "" if game.cost == game.moves else f", cost {value(game.cost)}"
        score = f", score {value(game.score)}" if game.score else ""
        after = f"after {counted(game.moves, 'move')}{cost}{score}"
        return {
            "goal": f"goal reached {after}",
            "dead": f"game over {after}: no move leads on",
            "move-limit": f"stopped {after}, which is the limit",
            "time-limit": f"stopped {after}: its time was up",
            "memory-limit": f"stopped {after}: it took all the memory it might",
            "interrupted": f"interrupted {after}",
            "error": f"the game ended with an error {after}",
        }[game.status]

    def _figures(self) -> list[str]:
        game = self.game
        took = [duration(game.seconds)]
        if game.seconds > 0 and game.moves:
            took.append(f"{rounded(game.moves / game.seconds)} moves/s")
        return took
