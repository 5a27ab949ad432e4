"""Search: problems, limits, results, and the driver in its readable and its compiled form."""
