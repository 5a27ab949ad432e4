"""Bound components: components with parameter values, which can be called."""
