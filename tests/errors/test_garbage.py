"""Garbage collection is off while any thread has a block open, and afterwards as it was."""

import gc
from threading import Event, Thread

import pytest

from searchlab.errors.garbage import no_garbage_collection
from searchlab.plugins.process_state import ProcessState


@pytest.fixture(autouse=True)
def collection_is_on():
    yield
    gc.enable()


def open_block():
    """Open a block in another thread; return what closes it."""
    is_open, may_close = Event(), Event()

    def block():
        with no_garbage_collection():
            is_open.set()
            may_close.wait(10)

    def close():
        may_close.set()
        thread.join()

    thread = Thread(target=block)
    thread.start()
    is_open.wait()
    return close


def test_collection_is_on_after_overlapping_blocks_of_two_threads():
    close_first, close_second = open_block(), open_block()
    close_first()
    assert not gc.isenabled()
    close_second()
    assert gc.isenabled()


def test_a_state_saved_during_a_block_of_another_thread_has_collection_on():
    close = open_block()
    state = ProcessState()
    close()
    assert state.restore()
    assert gc.isenabled()


def test_a_state_restored_during_a_block_switches_collection_on_afterwards():
    state = ProcessState()
    gc.disable()  # as a plugin may
    close = open_block()
    assert state.restore()
    assert not gc.isenabled()
    close()
    assert gc.isenabled()


def test_collection_that_was_off_stays_off():
    gc.disable()
    close = open_block()
    state = ProcessState()
    gc.enable()  # as a plugin may
    assert state.restore()
    close()
    assert not gc.isenabled()
