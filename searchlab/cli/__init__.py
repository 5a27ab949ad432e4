"""The command line: one file a command; each parses, calls and prints."""

from searchlab.cli.program import main

__all__ = ["main"]
