"""Whatever a plugin's function can do to whoever called it: it raises what it likes, or returns what fails later."""


class Bad(BaseException):
    """No ordinary exception, and it cannot be shown."""

    def __str__(self):
        raise Bad

    __repr__ = __str__


class Worse(Exception):
    """An ordinary exception that exits when it is shown."""

    def __str__(self):
        raise SystemExit(9)

    __repr__ = __str__


class Odd:
    """Everything that is asked of it fails."""

    def __init__(self, error):
        self.error = error

    def fail(self, *_):
        raise self.error

    __bool__ = __len__ = __iter__ = __hash__ = __eq__ = __lt__ = __ge__ = __gt__ = fail
    __float__ = __int__ = __index__ = __str__ = __repr__ = __array__ = fail


def raising(error):
    def fail(*_, **__):
        raise error

    return fail


def returning(value):
    return lambda *_, **__: value


RAISES = {
    "Bad": raising(Bad()),
    "Worse": raising(Worse()),
    "SystemExit: 0": raising(SystemExit(0)),
    "GeneratorExit": raising(GeneratorExit()),
    "StopIteration": raising(StopIteration()),
}
ODD = {
    "fails with no ordinary exception": returning(Odd(Bad())),
    "exits": returning(Odd(SystemExit(0))),
    "fails": returning(Odd(ZeroDivisionError("no idea"))),
}
NO_NUMBERS = {
    **ODD,
    **{repr(value)[:20]: returning(value) for value in (b"12", bytearray(b"12"), "12", 1j, None, [1], 10**400)},
    "a memoryview": returning(memoryview(b"12")),
}
