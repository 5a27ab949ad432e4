"""What becomes of results: tables, and records on disk."""
