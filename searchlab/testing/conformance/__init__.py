"""Conformance: environments of 2048 are held to the rules, the chances and the exact values."""
