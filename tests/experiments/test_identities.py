"""Identities of runs as arrays."""

import random

import numpy as np
import pytest

from searchlab.experiments.identities import RunStatuses, numbered, packed, unpacked


def test_equal_identities_have_the_number_of_the_first():
    chance = random.Random(1)
    some = [f"{chance.getrandbits(128):032x}" for _ in range(300)]
    some += [text[:16] + some[0][16:] for text in some[:50]]  # equal in one half
    identities = chance.choices(some, k=2000)
    known = {identity: number for number, identity in enumerate(dict.fromkeys(identities))}
    assert numbered(packed(identities)).tolist() == [known[identity] for identity in identities]


def test_no_identities_have_no_numbers():
    assert numbered(packed([])).tolist() == []


@pytest.mark.parametrize("text", ["", "a" * 31, "a" * 33, "g" * 32, "a" * 30 + "  "])
def test_other_texts_are_no_identities(text):
    with pytest.raises(ValueError, match="an identity has 32 hexadecimal digits"):
        packed(["b" * 32, text])


def test_texts_whose_lengths_add_up_are_no_identities():
    with pytest.raises(ValueError, match="32 hexadecimal digits"):
        packed(["a" * 31, "a" * 33])


def test_identities_that_end_with_zeros_differ():
    """An array of bytes takes zeros at the end for the end of a text."""
    identities = [digits.ljust(32, "0") for digits in ("", "00ab", "ab", "ab00cd")] + ["0" * 31 + "1"]
    assert numbered(packed(identities)).tolist() == [0, 1, 2, 3, 4]
    assert unpacked(packed(identities)) == identities


def test_the_status_of_a_run_is_that_of_its_last_record():
    chance = random.Random(1)
    some = [f"{chance.getrandbits(128):032x}" for _ in range(200)] + ["0" * 32]
    recorded = [(chance.choice(some[:150]), chance.choice("abc")) for _ in range(400)]
    statuses = RunStatuses(
        packed(identity for identity, _ in recorded), np.array(["abc".index(s) for _, s in recorded], np.int8), "abc"
    )
    last = dict(recorded)
    assert dict(statuses) == last
    assert len(statuses) == len(last)
    codes = statuses.codes(packed(some))
    assert codes.tolist() == ["abc".index(last[each]) if each in last else -1 for each in some]
    assert statuses.left(codes, ["b"]).tolist() == [last.get(each, "b") == "b" for each in some]
    assert statuses.counts(codes[codes >= 0]) == {status: [*last.values()].count(status) for status in "abc"}
    assert "no identity" not in statuses
    assert some[-1] not in statuses


def test_no_run_is_recorded():
    none = RunStatuses(b"", np.zeros(0, np.int8), "abc")
    assert not none
    assert none.codes(packed(["a" * 32])).tolist() == [-1]
    assert none.missing(RunStatuses(packed(["a" * 32, "b" * 32]), np.zeros(2, np.int8), "abc")) == 2
