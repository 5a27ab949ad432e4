"""Value functions that are learned from games."""
