"""The exceptions of searchlab: each has a text of one line that a user can act on."""

from __future__ import annotations

from searchlab.errors.control_characters import escaped, one_line


class SearchlabError(Exception):
    """Base of all errors that searchlab raises on purpose.

    The text is one line without control characters, whatever names and values it contains.
    """

    def __str__(self) -> str:
        return one_line(super().__str__())


class UsageError(SearchlabError, ValueError):
    """A name, a parameter or an option is wrong."""


class BoardError(SearchlabError, ValueError):
    """A board is impossible: empty, ragged, with impossible tiles, or in a file that cannot be read."""


class TileIndexError(BoardError, IndexError):
    """A row or a column is outside the board."""


class PluginError(SearchlabError):
    """A plugin's function failed while it was used; the board may follow below the first line."""

    def __str__(self) -> str:
        return escaped(Exception.__str__(self))


class MachineError(SearchlabError):
    """The machine failed, not the command: a full disk, a deleted folder, worker processes that die.

    Once that is fixed, the same command continues, or starts again.
    """


class Cancelled(BaseException):
    """Base of exceptions by which searchlab ends its own work; they pass through running plugin code."""


class SearchlabWarning(UserWarning):
    """A warning of one line, such as that a search runs interpreted, or that a plugin was left out."""
