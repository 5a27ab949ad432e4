"""Identities of runs as arrays."""

import random

import pytest

from searchlab.experiments.identities import numbered, packed


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
