"""Experiments: a matrix of runs, worker processes that do them, a store of results, and plugins that watch."""
