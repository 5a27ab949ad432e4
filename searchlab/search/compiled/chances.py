"""The random outcomes of moves in a game of chance, by a domain's compiled rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from searchlab.compiler.arrays import addresses, allocate
from searchlab.compiler.functions import CannotCompile, compile_chances
from searchlab.compiler.packing import Packing
from searchlab.search.compiled.kernel_run import kernel
from searchlab.search.compiled.problem import form_arguments
from searchlab.search.kernels.graph import ChanceArrays, chances_of_state

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.compiler.machine_code import MachineCode


@dataclass(frozen=True)
class CompiledChances:
    """The chances of a domain as machine code, for boards of one form.

    Attributes:
        packing: the packing of these boards.
        most: the largest number of events.
        callee: the compiled function.
    """

    packing: Packing
    most: int
    callee: MachineCode

    @classmethod
    def of(cls, domain: BoundDomain, board: Board) -> CompiledChances:
        """Compile the chance function of a domain for boards with the same form as this board.

        Raises:
            CannotCompile: there is no packed form, it has no chances, or the function cannot be compiled.
        """
        form = domain.packed(board)
        if form is None or form.rule("chances") is None:
            msg = f"domain {domain.name} has no packed form with chances"
            raise CannotCompile(msg)
        packing = Packing.of(form, board)
        callee = compile_chances(form, form_arguments(domain, form, board), packing)
        return cls(packing, form.most_chances, callee)

    def after(self, board: Board) -> list[tuple[Board, float]]:
        """Return the boards after each event, with their probabilities."""
        packing = self.packing
        s = allocate(
            ChanceArrays,
            {"width": packing.words, "events": self.most, "cells": packing.cells},
            state=packing.pack(board),
            callees=np.array([self.callee.row()], np.uint64),
        )
        count = kernel(chances_of_state, ChanceArrays)(*addresses(s))
        return list(zip(packing.unpack(s.out[:count]), s.probabilities[:count].tolist(), strict=True))
