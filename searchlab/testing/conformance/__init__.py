"""Conformance: compare environments of 2048 with the rules, the chances and the exact values."""
