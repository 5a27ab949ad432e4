"""Texts that were once read wrongly, by the name of the target that reads them: each is tried in 200 changed forms."""

from __future__ import annotations

CAPITALS = """(define (domain bw) (:requirements :strips) (:predicates (on ?x ?y) (clear ?x) (holding ?x))
 (:action take :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x))
  :effect (and (holding ?x) (clear ?y) (not (on ?x ?y)))))
(define (problem p1) (:domain BW) (:objects B A) (:INIT (ON A B) (CLEAR A)) (:goal (AND (HOLDING A))))
"""
CONSTANTS_AFTER_PREDICATES = """(define (domain x) (:requirements :strips :typing) (:types t)
 (:predicates (p ?x) (on ?x ?y)) (:constants Table - t)
 (:action do :parameters (?a) :precondition (on ?a table) :effect (and (p ?a))))
(define (problem p1) (:domain x) (:objects a b - t) (:init (on a Table) (on b TABLE)) (:goal (and (p b) (p a))))
"""
NO_PARAMETERS = """(define (domain x) (:requirements :strips) (:predicates (s) (p)) (:action nop :effect (s)))
(define (problem p1) (:domain x)  (:init ) (:goal (and (s))))
"""

REPORTED = {
    "boards": (
        "4\n1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 10 0\n",
        "3\n1 2 3\n4 5 6\n7 0 8\n",
        "3\n5 1 2\n0 8 3\n6 7 4\n",
        "2\n2 4\n0 0\n",
        "1\n2\n",
    ),
    "tasks": (CAPITALS, CONSTANTS_AFTER_PREDICATES, NO_PARAMETERS),
    "experiments": (
        'name = "w"\nboards = ["C:\\Users\\me\\b.txt"]\n',
        'name = "w"\nboards = ["sub\\b.txt"]\n',
        'name = "w"\nboards = ["2048/board10"]\n',
        'name = "../w7"\nboards = ["2048/board10"]\n',
    ),
}
