"""The player that lets a program in any language choose the moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import Parameter, Player, Program, ProgramPlayer

if TYPE_CHECKING:
    from searchlab import Board, BoundDomain, Judgement, Move


def chosen_move(board: Board, moves: tuple[Move, ...], kept: ProgramPlayer) -> Judgement:
    """Return the program's move, with the values of all moves if the program gives them."""
    return kept.judgement(board, moves)


def running_program(domain: BoundDomain, command: str, seconds: float = 10.0, start: float = 30.0) -> ProgramPlayer:
    """Return the player of a program; the program is started for the first game."""
    return ProgramPlayer(command, domain, seconds, start)


PROGRAM = Player(
    "program",
    chosen_move,
    keeps=running_program,
    parameters=(
        Parameter(
            "command",
            "",
            "the program and its arguments, in brackets: command=[./bot --fast]",
            check=Program.check_command,
            kind="command",
        ),
        Parameter("seconds", 10.0, "time for a move", check=Program.check_seconds),
        Parameter("start", 30.0, "time to start, and to begin a game", check=Program.check_seconds),
    ),
    summary="the moves of a program in any language, see docs/program-players.md",
)
