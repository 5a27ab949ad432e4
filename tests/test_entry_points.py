"""Entry points are found as `importlib.metadata` finds them, without importing it."""

from __future__ import annotations

import sys
from importlib import metadata

import pytest

from searchlab.plugins.loading import entry_points


@pytest.mark.parametrize("group", ["searchlab", "console_scripts", "pytest11", "no_such_group"])
def test_the_same_are_found(group):
    """Of every group, here and now, the same names, values, distributions and versions."""
    theirs = {(e.name, e.value, e.dist.name, e.dist.version) for e in metadata.entry_points(group=group)}
    assert {(e.name, e.value, e.dist.name, e.dist.version) for e in entry_points(group)} == theirs


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """A distribution with entry points, before all others on the path."""
    info = tmp_path / "some_thing-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-thing\nVersion: 1.2\n\nName: no\n")
    (info / "entry_points.txt").write_text(
        "[other]\nx = y\n\n[searchlab.test]\n# a comment\nplain = json\n"
        "attribute = json.decoder : JSONDecoder.decode [extra]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_module_and_an_attribute_are_loaded(distribution):
    """`module` and `module:attribute` both work, extras and comments are ignored."""
    import json

    plain, attribute = entry_points("searchlab.test")
    assert (plain.name, plain.module, plain.dist) == ("plain", "json", ("some-thing", "1.2"))
    assert plain.load() is json
    assert attribute.load() is json.JSONDecoder.decode


def test_the_first_of_two_distributions_counts(distribution, tmp_path_factory, monkeypatch):
    """A distribution further back on the path is hidden by its namesake, as its modules are."""
    later = tmp_path_factory.mktemp("later") / "Some.Thing-0.9.dist-info"
    later.mkdir()
    (later / "METADATA").write_text("Name: some-thing\nVersion: 0.9\n")
    (later / "entry_points.txt").write_text("[searchlab.test]\nold = json\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(later.parent)])
    assert [e.name for e in entry_points("searchlab.test")] == ["plain", "attribute"]


def test_archives_are_left_to_importlib(distribution, monkeypatch):
    """Where the path has an archive, the standard library looks into it."""
    import zipfile

    archive = distribution / "archive.zip"
    with zipfile.ZipFile(archive, "w") as content:
        content.writestr("zipped-3.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 3\n")
        content.writestr("zipped-3.dist-info/entry_points.txt", "[searchlab.test]\nzipped = json\n")
    monkeypatch.setattr(sys, "path", [str(archive), *sys.path])
    assert {e.name for e in entry_points("searchlab.test")} == {"zipped", "plain", "attribute"}
