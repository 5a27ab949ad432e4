"""The rows of a store as dicts, for tests that look at single cells."""


def rows_of(store, *, all_attempts=False):
    """Return the rows in the order of the records, without their provenance."""
    names = [name for name in store.kind.stored if name != "provenance"]
    return [
        dict(zip(names, row, strict=True))
        for columns in store.columns(names, all_attempts=all_attempts)
        for row in zip(*columns, strict=True)
    ]
