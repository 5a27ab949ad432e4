"""Loading a plugin file: beside its neighbours, and in nobody's way."""

import sys

import pytest

from searchlab.errors import UsageError
from searchlab.plugins.loading import load_file


def test_a_file_imports_its_neighbours(tmp_path):
    """Relatively; neither `sys.path` nor the names of other modules change."""
    (tmp_path / "json.py").write_text("COUNT = 3\n")
    (tmp_path / "mine.py").write_text("import json\n\nfrom .json import COUNT\n")
    path, ours = [*sys.path], sys.modules["json"]
    module = load_file(tmp_path / "mine.py").module
    assert (module.COUNT, module.json) == (3, ours)
    assert (sys.path, sys.modules["json"]) == (path, ours)
    assert "mine" not in sys.modules


def test_neighbours_of_one_name_are_told_apart(tmp_path):
    """Each file gets that of its own folder."""
    values = []
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "_tables.py").write_text(f"NAME = {name!r}\n")
        (tmp_path / name / "mine.py").write_text("from ._tables import NAME\n")
        values.append(load_file(tmp_path / name / "mine.py").module.NAME)
    assert values == ["a", "b"]


def test_a_file_is_read_again_when_it_is_loaded_again(tmp_path):
    """What was changed in between counts."""
    file = tmp_path / "mine.py"
    for value in ("1", "'two'"):
        file.write_text(f"VALUE = {value}\n")
        assert repr(load_file(file).module.VALUE) == value


def test_the_import_of_a_neighbour_as_if_it_were_installed_is_explained(tmp_path):
    """The message says what to write; for a module that is nowhere it does not."""
    (tmp_path / "_tables.py").write_text("")
    (tmp_path / "mine.py").write_text("import _tables\n")
    (tmp_path / "other.py").write_text("import _tabels\n")
    with pytest.raises(UsageError, match=r"_tables.py lies beside it: write from \. import _tables$"):
        load_file(tmp_path / "mine.py")
    with pytest.raises(UsageError, match=r"No module named '_tabels' \(line 1\)$"):
        load_file(tmp_path / "other.py")
