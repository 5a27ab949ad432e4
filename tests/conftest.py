"""What all tests share: the hypothesis profiles, and boards that many of them start from."""

import os

import pytest
from hypothesis import settings

import searchlab as sl

settings.register_profile("here", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def board10():
    """The 2048 board whose shortest solution is down, down, down."""
    return sl.Board([[256, 8, 0, 2], [256, 8, 16, 2], [512, 4, 0, 0], [1024, 0, 0, 0]])


@pytest.fixture(scope="session")
def example8():
    """The 8-puzzle board that takes three moves: right, down, right."""
    return sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
