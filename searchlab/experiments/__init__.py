"""Experiments: a matrix of runs, a scheduler with its worker processes, a store of records, and tables of results."""
