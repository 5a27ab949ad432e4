"""Heuristics that change the process they run in, in ways that would harm whatever runs there next."""

import gc
import locale
import os
import signal
import sys
import tempfile
import warnings

import numpy as np

from searchlab import Heuristic, Metric, hookimpl


def warns_strictly(tiles):
    warnings.simplefilter("error")
    warnings.warn("so strict", stacklevel=1)
    return 1


def shows_no_warnings(tiles):
    warnings.showwarning = None
    return 1


def counts_strictly(tiles):
    gc.disable()
    sys.setrecursionlimit(120)
    return 1


def closes_streams(tiles):
    sys.stdout.close()
    sys.stderr.close()
    sys.stdout = sys.stderr = None
    return 1


def moves_away(tiles):
    os.chdir(tempfile.gettempdir())
    locale.setlocale(locale.LC_ALL, "C")
    return 1


def handles_signals(tiles):
    signal.signal(signal.SIGTERM, lambda *_: None)
    return 1


def closes_a_file(tiles):
    """What cannot be put back."""
    os.close(1)
    return 1


def state(tiles):
    """Nothing; what the process is like is the metric's business."""
    return 1


@hookimpl
def searchlab_metrics():
    yield Metric("state", of_process, kind="text")


def of_process(result):
    """What a run finds, in a text."""
    found = (
        os.getcwd(),
        len(warnings.filters),
        callable(warnings.showwarning),
        np.geterr()["divide"],
        gc.isenabled(),
        sys.getrecursionlimit(),
        sys.stdout.closed,
        sys.stderr.closed,
        str(signal.getsignal(signal.SIGTERM)),
        locale.setlocale(locale.LC_ALL),
    )
    return repr(found)


@hookimpl
def searchlab_heuristics():
    for function in (
        *(warns_strictly, shows_no_warnings, counts_strictly, closes_streams, moves_away, handles_signals),
        *(closes_a_file, state),
    ):
        yield Heuristic(function.__name__, function, domains={"2048"})
