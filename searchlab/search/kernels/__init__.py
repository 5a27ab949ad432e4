"""The compiled driver: one module per kernel family, and the parts they share."""
