"""The compiled searches: their arrays, and what Python does between two slices of a kernel."""
