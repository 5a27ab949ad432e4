"""The window: games that a person and a player play on one page, by the commands from the page."""

from __future__ import annotations

import select
import time
from math import inf
from typing import TYPE_CHECKING, Any

from searchlab.cli.browser.view import BoardView, Transition, moves_view
from searchlab.cli.terminal.by_hand import BY_HAND, DIRECTIONS, ByHand
from searchlab.errors.control_characters import one_line
from searchlab.games.game import move_limit
from searchlab.model.formatting import counted, value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.board.board import Board
    from searchlab.cli.browser.server import PageServer
    from searchlab.cli.terminal.advisor import Advisor
    from searchlab.games.game import GameSeries
    from searchlab.games.script import Log
    from searchlab.model.games import Turn
    from searchlab.reports.pictures import Pictures

FRAME = 0.04
"""Least number of seconds between two states that are sent while the player plays."""
LONGEST_WAIT = 1.0
"""Seconds after which the window looks around even if nothing has happened."""
MOMENT = 0.02
"""Seconds in which a signal is handled."""
SETTLED = 0.3
"""The most seconds to wait for an answer that nobody needs any more: an advisor that is asked meanwhile begins anew."""
ON_THE_PAGE = "it was ended on the page"
SLOWEST = 60.0
"""Seconds of the longest delay between two moves of the player."""


class Window:
    """Games on a page: a person plays them, a player does, or both in turn.

    Args:
        series: the games; the first has begun.
        advisor: asks the player, for its moves and for hints.
        player: the name of the player.
        log: records keys and events; None to record nothing.
        delay: the smallest number of seconds between two moves of the player.
        most_moves: the number of moves after which the player stops.
        is_watching: whether the player begins.
        pictures: draws boards, None for tiles.
        about: returns the page's description of the game and its record, by name.

    Attributes:
        error: the player's failure in one line, until somebody moves, or `""`.
        closed_by: the reason for the end, or `""` before.
    """

    def __init__(
        self,
        series: GameSeries,
        advisor: Advisor,
        player: str,
        log: Log | None,
        *,
        delay: float,
        most_moves: int,
        is_watching: bool,
        pictures: Pictures | None,
        about: Callable[[], Mapping[str, str]],
    ) -> None:
        self.error = self.closed_by = ""
        self._series, self._advisor, self._player, self._log = series, advisor, player, log
        self._hand = ByHand(series, advisor, log)
        self._view = BoardView(series.domain, pictures)
        self._about = about
        self._delay = delay
        self._until = move_limit(most_moves)
        self._most_moves = most_moves
        self._is_watching = self._begins = is_watching
        self._always_hints = False
        self._is_asked = False
        self._action = ""
        self._moved = -inf
        self._by_player = [False] * len(series.turns)
        self._position = 0
        self._transition: Transition | None = None
        self._shown_position = -1
        self._windows = 0
        self._shown_at = -inf
        self._is_shown = False
        self._commit()

    @property
    def players(self) -> str:
        """The players of the latest game's moves."""
        by_player = self._by_player or [self._begins]
        return " and ".join([BY_HAND] * (not all(by_player)) + [self._player] * any(by_player))

    @property
    def is_at_limit(self) -> bool:
        """Whether the player makes no more moves because it has made enough."""
        return bool(self._until(self._series))

    def close(self, by: str) -> None:
        """Make `play` return, and remember the reason; called in a signal handler, too."""
        self.closed_by = by

    def play(self, server: PageServer) -> None:
        """Play until the page ends it, or `close` is called."""
        if not self._is_watching:
            self._advisor.prepare(self._series)
        while not self.closed_by:
            self._let_player_play()
            self._take_answer()
            self._let_advise()
            self._show(server)
            for command in server.wait(self._timeout(), *self._advisor.readable):
                with command.answered():
                    command.answer.set_result(self.execute(command.content))
                self._is_shown = False

    def execute(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Execute a command from the page; return the answer, `refused` for an invalid command."""
        hand = self._hand
        match command:
            case {"command": "move", "action": str(action)} if action in self._known_actions:
                self._move_by_hand(action)
            case {"command": "swipe", "way": str(way)} if way in DIRECTIONS:
                self._move_by_hand(self._view.swipes(self._series.board, self._series.edges).get(way))
            case {"command": "click", "cell": int(cell)}:
                self._move_by_hand(self._view.clicks(self._series.board, self._series.edges).get(cell))
            case {"command": "undo"}:
                self._take_over()
                self._undo()
            case {"command": "new"}:
                self._drop_question()
                hand.new_game()
                self._commit()
                self._by_player.clear()
                self.error = ""
                self._at_new_position(None)
            case {"command": "hint"}:
                self._take_over()
                self._settle()
                hand.hint()
            case {"command": "hints", "on": bool(on)}:
                self._always_hints = on
            case {"command": "watch", "on": bool(on)}:
                self._watch(on=on)
            case {"command": "speed", "delay": int(delay) | float(delay)} if 0 <= delay <= SLOWEST:
                self._delay = float(delay)
            case {"command": "end"}:
                self.close(ON_THE_PAGE)
            case _:
                return {"refused": True}
        return {"position": self._position}

    def state(self) -> dict[str, Any]:
        """Return the current state of the page."""
        series, hand = self._series, self._hand
        transition = self._transition if self._position == self._shown_position + 1 else None
        earned = series.turns[-1].points if series.turns else 0
        return {
            "position": self._position,
            "board": self._view.layout(series.board, transition),
            "clicks": bool(self._view.clicks(series.board, series.edges)),
            "moves": moves_view(series.edges, hand.hinted),
            "made": counted(len(series.turns), "move"),
            "score": value(series.score) if series.domain.component.has_points else None,
            "best": value(series.best),
            "earned": f"+{value(earned)}" if earned > 0 else "",
            "last": one_line(series.turns[-1].action) if series.turns else "",
            "message": one_line(hand.message),
            "over": series.is_over,
            "goal": series.is_goal,
            "undo": hand.can_undo and bool(series.turns),
            "thinking": self._thinking,
            "compiling": one_line(self._compiling),
            "watching": self._is_watching,
            "hints": self._always_hints,
            "delay": self._delay,
            "player": one_line(self._player),
            "windows": self._windows,
            "about": dict(self._about()),
        }

    @property
    def _known_actions(self) -> set[str]:
        return {*DIRECTIONS, *(edge.action for edge in self._series.edges)}

    @property
    def _thinking(self) -> float | None:
        """The seconds the player has been thinking about a hint or a move; None if it is not."""
        if self._is_asked:
            return round(time.monotonic() - self._asked_at, 1)
        thinking = self._hand.thinking
        return None if thinking is None else round(thinking, 1)

    @property
    def _compiling(self) -> str:
        """The name of the function being compiled for the pending answer, or `""`."""
        return "" if self._thinking is None else self._advisor.compiling

    def _move_by_hand(self, action: str | None) -> None:
        """Make the move of a person, who takes over; do nothing without a move."""
        if action is not None:
            self._take_over()
            self._move(action, by_player=False)

    def _watch(self, *, on: bool) -> None:
        """Start or stop the player."""
        self._drop_question()
        self._hand.forget_hint()
        self._settle()
        self._is_watching = on and not self._series.status
        self.error = ""
        if not self._series.status:
            self._hand.message = ""
        self._moved = time.monotonic() if on else -inf

    def _take_over(self) -> None:
        """Stop the player: a person moves."""
        if self._is_watching:
            self._is_watching = False
            self._drop_question()

    def _drop_question(self) -> None:
        self._is_asked, self._action = False, ""

    def _settle(self) -> None:
        """Take a pending answer that nobody needs, if it arrives soon."""
        if self._hand.thinking is None and (readable := self._advisor.readable):
            select.select(readable, [], [], SETTLED)
            self._hand.take_advice()

    def _let_player_play(self) -> None:
        """Make the player's move when it is due, and ask for the next one."""
        if not self._is_watching:
            return
        if self._action and time.monotonic() >= self._moved + self._delay:
            action, self._action = self._action, ""
            self._moved = time.monotonic()
            self._move(action, by_player=True)
        if self._series.status or self.is_at_limit:
            self._is_watching = False
            if not self._series.status:
                self._hand.message = f"stopped after {counted(self._most_moves, 'move')}, which is the limit"
            self._is_shown = False
        elif not self._action and not self._is_asked:
            self._advisor.ask(self._series, values=self._always_hints)
            self._is_asked, self._asked_at = True, time.monotonic()

    def _take_answer(self) -> None:
        """Take the player's answer if it has arrived."""
        compiling = bool(self._compiling)
        self._take_any_answer()
        self._is_shown = self._is_shown and compiling == bool(self._compiling)

    def _take_any_answer(self) -> None:
        if not self._is_asked:
            thought = self._hand.thinking is not None
            self._hand.take_advice()
            self._is_shown = self._is_shown and thought == (self._hand.thinking is not None)
            return
        advice = self._advisor.advice()
        if advice is None:
            return
        self._is_asked, self._action = False, advice.action
        if advice.values is not None:
            self._hand.hinted = advice
            self._is_shown = False
        if advice.error:
            time.sleep(MOMENT)  # Ctrl-C ends the player's process as well, perhaps before it is handled here
            self.error = "" if self.closed_by else advice.error
            self._is_watching = False
            self._hand.message = f"the player failed: {advice.error}"
            self._is_shown = False

    def _let_advise(self) -> None:
        """Ask for a hint if one is wanted on every position."""
        hand = self._hand
        is_wanted = self._always_hints and not self._is_watching and not self._series.is_over
        if is_wanted and hand.hinted is None and hand.thinking is None and not self._advisor.readable:
            hand.hint()
            hand.take_advice()
            self._is_shown = False

    def _move(self, action: str, *, by_player: bool) -> None:
        before, moves = self._series.board, self._series.moves
        self._hand.move(action)
        self._commit()
        if self._series.moves > moves:
            self._by_player.append(by_player)
            self.error = ""
            self._at_new_position(_transition(before, self._series.turns[-1], is_back=False))

    def _undo(self) -> None:
        turns = self._series.turns
        undone = turns[-1] if turns else None
        self._hand.undo()
        self._commit()
        if undone is not None and self._hand.can_undo:
            self._by_player.pop()
            self.error = ""
            self._at_new_position(_transition(self._series.board, undone, is_back=True))

    def _commit(self) -> None:
        if self._log is not None:
            self._log.commit()

    def _at_new_position(self, transition: Transition | None) -> None:
        self._position += 1
        self._transition = transition
        self._is_shown = False

    def _show(self, server: PageServer) -> None:
        """Send the state if it is new and the last one was not sent too recently."""
        self._is_shown = self._is_shown and server.windows == self._windows
        if self._is_shown or (self._is_watching and time.monotonic() < self._shown_at + FRAME):
            return
        self._windows = server.windows
        server.show(self.state())
        self._shown_position, self._shown_at, self._is_shown = self._position, time.monotonic(), True

    def _timeout(self) -> float:
        """Return the number of seconds to wait for commands and for the player's answer."""
        now, until = time.monotonic(), LONGEST_WAIT
        if not self._is_shown:
            until = min(until, self._shown_at + FRAME - now)
        if self._action:
            until = min(until, self._moved + self._delay - now)
        return max(0.0, until)


def _transition(before: Board, turn: Turn, *, is_back: bool) -> Transition:
    return Transition(turn.action, before, turn.after, turn.board, is_back)
