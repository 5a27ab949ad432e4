"""The folder in which machine code and tables are kept, where there is one."""

import os
from pathlib import Path

from searchlab.files.cache import cache_folder, cache_folder_at


def test_a_user_without_a_home_has_no_cache_folder(monkeypatch):
    """As in a container that runs as a user whom the system does not know: what cannot be kept is made anew."""

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for name in ("SEARCHLAB_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    cache_folder.cache_clear()
    try:
        found = cache_folder()
        assert (found.is_private, found.is_writable) == (False, False)
        assert found.fault == "there is no home folder (Could not determine home directory.)"
    finally:
        cache_folder.cache_clear()


def test_the_environment_names_another_folder(monkeypatch, tmp_path):
    """The one of its own first, then that of all caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.delenv("SEARCHLAB_CACHE_DIR", raising=False)
    try:
        for path in (tmp_path / "caches" / "searchlab", tmp_path / "own"):
            cache_folder.cache_clear()
            assert cache_folder()[:3] == (path, True, True)
            assert path.is_dir()
            monkeypatch.setenv("SEARCHLAB_CACHE_DIR", str(tmp_path / "own"))
    finally:
        cache_folder.cache_clear()


def test_a_relative_cache_folder_of_the_system_is_ignored(tmp_path, monkeypatch):
    """The XDG specification says so: machine code would lie in whatever folder is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.delenv("SEARCHLAB_CACHE_DIR", raising=False)
    cache_folder.cache_clear()
    try:
        assert cache_folder().path == tmp_path / "home/.cache/searchlab"
        assert not (tmp_path / "relative").exists()
    finally:
        cache_folder.cache_clear()


def test_parent_folders_are_private_with_any_umask(tmp_path):
    before = os.umask(0)
    try:
        assert cache_folder_at(tmp_path / "a/b/searchlab").is_private
    finally:
        os.umask(before)
    assert [(tmp_path / made).stat().st_mode & 0o777 for made in ("a", "a/b", "a/b/searchlab")] == [0o700] * 3
