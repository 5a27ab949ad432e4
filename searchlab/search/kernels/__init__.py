"""The compiled driver: one module a kernel family, and what they share."""
