"""Players that hang, eat, raise or end their process, and some that do not."""

import os
import time

from searchlab import Player, hookimpl

TAKEN = []


def spins(board, moves):
    """Do not return where the largest tile is 8."""
    while board.largest_tile() == 8:
        pass
    return moves[0].action


def hoards(board, moves):
    """Take a little more memory with each move."""
    TAKEN.append(b"x" * 2**24)  # written, or the pages would not count
    time.sleep(0.02)  # the memory is looked at now and then
    return moves[len(TAKEN) % len(moves)].action


def is_refused(board, moves):
    """Want more memory than there is."""
    raise MemoryError


def raises(board, moves):
    """Be wrong where the largest tile is 16."""
    assert board.largest_tile() < 16
    return moves[0].action


def ends(board, moves):
    """Take the process down."""
    os._exit(1)


def counts(board, moves, seed=0):
    """Choose by its own seed."""
    return moves[seed % len(moves)].action


@hookimpl
def searchlab_players():
    for function in (spins, hoards, is_refused, raises, ends):
        yield Player(function.__name__.replace("_", "-"), function, domains={"2048"})
    yield Player("counts", counts)
