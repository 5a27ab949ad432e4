"""From plain Python functions to machine code."""
