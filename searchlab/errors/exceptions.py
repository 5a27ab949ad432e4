"""The exceptions of searchlab. Each has a text of one line that tells the user what to do."""

from __future__ import annotations

from searchlab.errors.control_characters import escaped, one_line


class SearchlabError(Exception):
    """The base of all errors that searchlab raises on purpose.

    The text is one line without control characters, whatever names and values it contains.
    """

    def __str__(self) -> str:
        return one_line(super().__str__())


class UsageError(SearchlabError, ValueError):
    """A name, a parameter or an option is invalid."""


class BoardError(SearchlabError, ValueError):
    """A board is invalid: empty, ragged, with invalid tiles, or in an unreadable file."""


class TileIndexError(BoardError, IndexError):
    """A row or a column is outside the board."""


class PluginError(SearchlabError):
    """A plugin's function failed while it was used. Lines after the first may show the board."""

    def __str__(self) -> str:
        return escaped(Exception.__str__(self))


class MachineError(SearchlabError):
    """The machine failed, not the command: a full disk, a deleted folder, or worker processes that died.

    When this is fixed, the same command continues or starts again.
    """


class Cancelled(BaseException):
    """The base of exceptions with which searchlab ends its own work. They pass through running plugin code."""


class SearchlabWarning(UserWarning):
    """A warning of one line, for example that a search runs interpreted or that a plugin is ignored."""
