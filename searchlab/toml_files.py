"""TOML files with a fixed set of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


def read_toml(file: Path, keys: Collection[str]) -> dict[str, Any]:
    """Return what a TOML file says.

    Args:
        keys: those it may have.

    Raises:
        UsageError: it cannot be read, or has another key; one line that names the file.
    """
    import tomllib

    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file}: {error}") from None
    for key in content:
        if key not in keys:
            raise UsageError(f"{file}: unknown key {key!r}: {did_you_mean(key, keys)}")
    return content
