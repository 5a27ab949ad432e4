"""Axes, ticks and colours of charts."""

import itertools

import numpy as np
import pytest

from searchlab.reports.chart import CIVIDIS, DARK, LIGHT, category_axis, linear_axis, log_axis, short_names, tick_label
from searchlab.reports.svg import INK

RECOGNISABLE = 5
"""The series that can be told apart by their colours alone."""
LEAST_CONTRAST = 3.0
"""Of graphics, by WCAG 2.1, 1.4.11."""
LEAST_TEXT_CONTRAST = 4.5
TRITAN = [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
DEUTAN = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
PROTAN = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
"""How colours are seen without one kind of cones, in linear RGB: Machado, Oliveira and Fernandes 2009."""
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


def linear(colour):
    """A colour in linear RGB."""
    values = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    light = sorted(0.05 + linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return light[1] / light[0]


def lab(rgb):
    """Linear RGB as CIE L*a*b*."""
    xyz = np.array(TO_XYZ) @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_a_linear_axis_begins_at_zero_and_names_round_numbers():
    axis = linear_axis([3.0, 96.0], "runs")
    assert (axis.low, axis.scale, axis.rail) == (0.0, "linear", None)
    assert [tick.label for tick in axis.ticks] == ["0", "20", "40", "60", "80"]
    assert axis.place(0) == 0
    assert 0.9 < axis.place(96) < 1


def test_a_linear_axis_may_have_whole_numbers_only():
    assert [tick.label for tick in linear_axis([0, 2], "runs", whole=True).ticks] == ["0", "1", "2"]


def test_ticks_of_an_axis_share_a_unit():
    assert [tick.label for tick in linear_axis([0, 1500], "n").ticks][:2] == ["0", "0.5 k"]
    assert [tick.label for tick in linear_axis([0, 0.004], "t", unit="s").ticks][:2] == ["0", "1 ms"]


def test_a_logarithmic_axis_names_powers_of_ten():
    axis = log_axis([1, 1_000_000], "n")
    assert [tick.label for tick in axis.ticks] == ["1", "10", "100", "1 k", "10 k", "100 k", "1 M"]
    assert axis.place(1000) == pytest.approx(0.5)


def test_a_logarithmic_axis_of_bytes_names_powers_of_two():
    labels = [tick.label for tick in log_axis([1024, 1024**3], "memory", unit="B").ticks]
    assert labels == ["1 KiB", "32 KiB", "1 MiB", "32 MiB", "1 GiB"]


def test_equal_values_have_an_axis():
    for axis in (log_axis([7, 7], "n"), linear_axis([7, 7], "n"), linear_axis([0, 0], "n"), linear_axis([], "n")):
        assert axis.high > axis.low
        assert axis.ticks


def test_missing_values_are_on_a_rail_beyond_the_others():
    for make in (linear_axis, log_axis):
        axis = make([1.0, 50.0, None], "n", rail="unsolved")
        assert axis.rail.label == "unsolved"
        assert axis.place(50) < axis.place(axis.rail.begin) < axis.place(None) < 1
        assert make([1.0, 50.0], "n", rail="unsolved").rail is None


def test_names_on_an_axis_are_in_order():
    axis = category_axis(["a", "b"], downwards=True)
    assert axis.place(0) > axis.place(1)
    assert [tick.label for tick in axis.ticks] == ["a", "b"]


def test_a_long_name_loses_its_middle():
    (short,), notes = short_names(["a" * 50 + "b" * 50])
    assert len(short) == 60
    assert short == "a" * 30 + "…" + "b" * 29
    assert notes == []


def test_large_and_small_numbers_are_short():
    assert [tick_label(value) for value in (0, 1e-5, 999, 2.5e13)] == ["0", "1e-05", "999", "25 T"]
    assert tick_label(0, "s") == "0"


@pytest.mark.parametrize(("colours", "ground"), [(LIGHT, INK["ground"][0]), (DARK, INK["ground"][1])])
def test_every_colour_is_seen_on_its_ground(colours, ground):
    assert len(set(colours)) == 8
    for colour in colours:
        assert contrast(colour, ground) >= LEAST_CONTRAST, colour


def test_text_is_read_on_its_ground():
    for name in ("ink", "muted"):
        for text, ground in zip(INK[name], INK["ground"], strict=True):
            assert contrast(text, ground) >= LEAST_TEXT_CONTRAST


@pytest.mark.parametrize("kind", [np.eye(3), PROTAN, DEUTAN, TRITAN], ids=["all cones", "protan", "deutan", "tritan"])
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_first_series_differ_for_colour_blind_readers(colours, kind):
    """By more than 10 in CIE 1976 ΔE, of which 2.3 is just noticed."""
    seen = [lab(np.array(kind) @ linear(colour)) for colour in colours[:RECOGNISABLE]]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 10


def test_the_lightness_of_the_colour_map_increases():
    lightness = [lab(linear(colour))[0] for colour in CIVIDIS]
    assert lightness == sorted(lightness)
