"""Fingerprints: whether the code of a plugin here is that of a plugin there."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchlab.loading import Plugin


def fingerprint(plugin: Plugin) -> str:
    """Return a plugin's version, and a hash of its file or of all Python files of its package."""
    file = Path(plugin.file)
    files = sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]
    content = hashlib.sha256()
    for path in files:
        content.update(path.relative_to(file.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{plugin.version} {content.hexdigest()[:16]}".strip()
