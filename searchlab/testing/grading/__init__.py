"""Grading: test many students' files by a rubric, each in its own processes, and explain the marks."""
