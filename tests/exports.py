"""Tables as texts, for the tests of exports and of what the documents say about columns."""

from itertools import groupby

from searchlab.reports.export import exported


def text_of(*arguments, **options):
    """Return what `exported` yields as one text, or as bytes."""
    first, *rest = exported(*arguments, **options)
    return first[:0].join([first, *rest])


def markdown(columns, *, types=True):
    """Return the Markdown table of columns in docs/; neighbours with the same type and description share a row.

    Args:
        types: whether to include a column with the types.
    """
    head = ["column", "type", "what it holds"] if types else ["column", "what it holds"]
    rows = [head, ["---"] * len(head)]
    for (dtype, doc), group in groupby(columns, lambda column: (column.dtype if types else "", column.doc)):
        names = ", ".join(f"`{column.name}`" for column in group)
        rows.append([names, dtype, doc] if types else [names, doc])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
