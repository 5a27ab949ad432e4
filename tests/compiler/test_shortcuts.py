"""numba leaves out what is not needed while functions are compiled here, and does everything again afterwards."""

import operator
import subprocess
import sys

import numpy as np
import pytest
from numba import njit
from numba.core import event, ir
from numba.core.postproc import PostProcessor

import searchlab as sl
from searchlab.compiler.shortcuts import shortcuts
from searchlab.errors import SearchlabWarning

pytestmark = pytest.mark.shortcuts

LOC = ir.Loc("somewhere", 1)
SCOPE = ir.Scope(None, LOC)
A, B, C = (ir.Var(SCOPE, name, LOC) for name in "abc")


@pytest.mark.parametrize(
    "instruction",
    [
        ir.Assign(ir.Expr.call(A, [B, A], {"key": C}, LOC), B, LOC),
        ir.Assign(ir.Expr.build_tuple([A, B, C, B], LOC), C, LOC),
        ir.Assign(ir.Expr.binop(operator.add, A, A, LOC), A, LOC),
        ir.Assign(ir.Const(7, LOC), A, LOC),
        ir.SetItem(A, B, C, LOC),
        ir.Branch(A, 1, 2, LOC),
        ir.Return(B, LOC),
        ir.Jump(3, LOC),
    ],
    ids=str,
)
def test_the_variables_of_an_instruction_are_the_same_in_the_same_order(instruction):
    """Read or written, each as often as it stands there."""
    before = instruction.list_vars()
    with shortcuts():
        assert instruction.list_vars() == before


def fail_within_shortcuts():
    before = PostProcessor.run
    with shortcuts():
        assert PostProcessor.run is not before
        _ = 1 / 0


def test_numba_is_restored_afterwards():
    """Also where the block fails; a function of somebody else then compiles with all its timers."""
    before = PostProcessor.run, event.start_event, ir.Inst._rec_list_vars
    with pytest.raises(ZeroDivisionError):
        fail_within_shortcuts()
    assert (PostProcessor.run, event.start_event, ir.Inst._rec_list_vars) == before
    with event.install_recorder("numba:llvm_lock") as recorded:
        assert njit(lambda x: x + 1)(1) == 2
    assert recorded.buffer


def test_compiling_does_not_import_linear_algebra():
    """It takes as long as half of numba."""
    source = """
import sys
from searchlab.compiler.shortcuts import without_blas
without_blas()
from numba.core.registry import cpu_target
cpu_target.target_context.refresh()
print("scipy.linalg" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


WEIGHTS = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0], [4.0, 0.25, -1.0]])


def linear(tiles):
    return np.dot(WEIGHTS, tiles.astype(np.float64))[0, 2]


@pytest.mark.filterwarnings(f"error::{SearchlabWarning.__module__}.{SearchlabWarning.__name__}")
def test_a_heuristic_that_multiplies_matrices_compiles():
    """The linear algebra is imported for it."""
    board = sl.Board([[1, 2, 3], [4, 5, 6], [7, 0, 8]])
    result = sl.solve(board, domain="sliding-tile", heuristic=sl.Heuristic("linear", linear), frontier="greedy")
    assert (result.status, result.engine) == ("solved", "compiled")
