"""Tables as texts, for the tests of exports."""

from searchlab.reports.export import exported


def text_of(*arguments, **options):
    """Return what `exported` yields as one text, or as bytes."""
    first, *rest = exported(*arguments, **options)
    return first[:0].join([first, *rest])
