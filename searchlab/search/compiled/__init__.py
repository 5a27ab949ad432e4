"""The compiled searches: their arrays, and the work of Python between two slices of a kernel."""
