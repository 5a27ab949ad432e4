"""Experiments: from a specification to a matrix of runs, to worker processes, to a store of results, to tables."""
