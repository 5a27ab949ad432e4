"""Grading: many students' files, each tested in processes of its own by a rubric, with marks that can be explained."""
