"""Boards: the immutable grid, board files and sets, and how a board looks."""
