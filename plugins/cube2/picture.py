"""Pictures of the unfolded cube: coloured letters, and an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchlab import Board

PLACES = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB")
FIXED = "DBL"
STICKERS = {
    **{"URF": ("U4", "R1", "F2"), "UFL": ("U3", "F1", "L2"), "ULB": ("U1", "L1", "B2"), "UBR": ("U2", "B1", "R2")},
    **{"DFR": ("D2", "F4", "R3"), "DLF": ("D1", "L4", "F3"), "DBL": ("D3", "B4", "L3"), "DRB": ("D4", "R4", "B3")},
}
"""The stickers of each place, clockwise from the upper or lower face; stickers 1 2 of a face are above 3 4."""
COLORS = dict(zip("URFDLB", "WRGYOB", strict=True))
"""The colours of the faces of the solved cube: white, red, green, yellow, orange, blue."""
NET = ("    U1U2", "    U3U4", "L1L2F1F2R1R2B1B2", "L3L4F3F4R3R4B3B4", "    D1D2", "    D3D4")
"""The stickers of the unfolded cube; two blanks stand for no sticker."""
INK = {
    "W": "30;48;5;255",
    "R": "97;48;5;160",
    "G": "97;48;5;28",
    "Y": "30;48;5;226",
    "O": "30;48;5;208",
    "B": "97;48;5;20",
}
"""The terminal colours of each letter: text and background."""
FILL = {"W": "#f5f5f0", "R": "#c8202f", "G": "#1f9a4d", "Y": "#ffd500", "O": "#ff7a1a", "B": "#1d5fd0"}
STICKER, FACE_GAP = 50, 10
"""The side of a sticker and the gap between two faces in an image."""


def stickers(board: Board) -> list[list[str]]:
    """Return the letters of the colours on the unfolded cube, line by line, with blanks around the faces.

    The upper face comes first, then left, front, right and back side by side, then the lower face.
    """
    corners, twisted = board.tiles.tolist()
    shown = {sticker: COLORS[sticker[0]] for sticker in STICKERS[FIXED]}
    for place, corner, twist in zip(PLACES, corners, twisted, strict=True):
        for k, home in enumerate(STICKERS[PLACES[corner - 1]]):
            shown[STICKERS[place][(k + twist) % 3]] = COLORS[home[0]]
    return [[shown.get(line[k : k + 2], "") for k in range(0, len(line), 2)] for line in NET]


def picture(board: Board) -> str:
    """Return the unfolded cube as letters of colours, each on a background of its colour."""
    return "\n".join(
        "".join(f"\x1b[{INK[color]}m {color}\x1b[0m" if color else "  " for color in line) for line in stickers(board)
    )


def svg(board: Board) -> str:
    """Return the unfolded cube as an image."""

    def at(number: int) -> int:
        return FACE_GAP + number * STICKER + number // 2 * FACE_GAP

    pieces = [
        f'<rect x="{at(column)}" y="{at(row)}" width="{STICKER}" height="{STICKER}" rx="7" fill="{FILL[color]}"/>'
        for row, line in enumerate(stickers(board))
        for column, color in enumerate(line)
        if color
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {at(8)} {at(6)}">'
        f'<g stroke="#24282d" stroke-width="5">{"".join(pieces)}</g></svg>'
    )
