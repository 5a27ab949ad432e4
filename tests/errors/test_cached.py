"""Cached properties are computed once, and no other instance waits for them."""

import threading

from searchlab.errors.cached import cached_property


class Slow:
    """An object whose value waits until it may be computed."""

    def __init__(self, may_go: threading.Event) -> None:
        self.may_go, self.asked = may_go, 0

    @cached_property
    def value(self) -> int:
        """A number."""
        self.asked += 1
        assert self.may_go.wait(60)
        return self.asked


def test_a_value_is_computed_once():
    """It is kept in the object; the class has the property with its docstring."""
    done = threading.Event()
    done.set()
    slow = Slow(done)
    assert (slow.value, slow.value, slow.asked) == (1, 1, 1)
    assert Slow.value.__doc__ == "A number."


def test_an_instance_does_not_wait_for_another():
    """As in Python 3.12: a function that hangs blocks nobody else."""
    never, done = threading.Event(), threading.Event()
    done.set()
    waiting = threading.Thread(target=lambda: Slow(never).value)
    waiting.start()
    answers = []
    other = threading.Thread(target=lambda: answers.append(Slow(done).value))
    other.start()
    other.join(30)
    never.set()
    waiting.join()
    assert answers == [1]
