"""Planning tasks as PDDL text: domains, and problems of any size."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GRIPPER = """\
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball hand)
  (:predicates
    (at-robby ?r - room)
    (at ?b - ball ?r - room)
    (free ?h - hand)
    (carry ?b - ball ?h - hand))
  (:action move
    :parameters (?from ?to - room)
    :precondition (at-robby ?from)
    :effect (and (not (at-robby ?from)) (at-robby ?to)))
  (:action pick
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (at ?b ?r) (at-robby ?r) (free ?h))
    :effect (and (carry ?b ?h) (not (at ?b ?r)) (not (free ?h))))
  (:action drop
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (carry ?b ?h) (at-robby ?r))
    :effect (and (at ?b ?r) (free ?h) (not (carry ?b ?h)))))
"""
"""A robot with two hands carries balls from one room to another."""

BLOCKS = """\
(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?a ?b) (on-table ?a) (clear ?a) (holding ?a) (hand-empty))
  (:action pick-up
    :parameters (?a)
    :precondition (and (clear ?a) (on-table ?a) (hand-empty))
    :effect (and (holding ?a) (not (clear ?a)) (not (on-table ?a)) (not (hand-empty))))
  (:action put-down
    :parameters (?a)
    :precondition (holding ?a)
    :effect (and (clear ?a) (on-table ?a) (hand-empty) (not (holding ?a))))
  (:action stack
    :parameters (?a ?b)
    :precondition (and (holding ?a) (clear ?b))
    :effect (and (on ?a ?b) (clear ?a) (hand-empty) (not (holding ?a)) (not (clear ?b))))
  (:action unstack
    :parameters (?a ?b)
    :precondition (and (on ?a ?b) (clear ?a) (hand-empty))
    :effect (and (holding ?a) (clear ?b) (not (on ?a ?b)) (not (clear ?a)) (not (hand-empty)))))
"""
"""A hand rebuilds towers of blocks, one block at a time."""

DELIVERY = """\
(define (domain delivery)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types place thing - object
          truck parcel - thing)
  (:predicates
    (road ?from ?to - place)
    (at ?x - thing ?p - place)
    (in ?x - parcel ?t - truck)
    (full ?t - truck))
  (:functions (length ?from ?to - place) - number (total-cost) - number)
  (:action drive
    :parameters (?t - truck ?from ?to - place)
    :precondition (and (at ?t ?from) (road ?from ?to))
    :effect (and (at ?t ?to) (not (at ?t ?from)) (increase (total-cost) (length ?from ?to))))
  (:action load
    :parameters (?x - parcel ?t - truck ?p - place)
    :precondition (and (at ?x ?p) (at ?t ?p) (not (full ?t)))
    :effect (and (in ?x ?t) (full ?t) (not (at ?x ?p)) (increase (total-cost) 1)))
  (:action unload
    :parameters (?x - parcel ?t - truck ?p - place)
    :precondition (and (in ?x ?t) (at ?t ?p))
    :effect (and (at ?x ?p) (not (in ?x ?t)) (not (full ?t)) (increase (total-cost) 1))))
"""
"""Trucks, each with room for a single parcel, deliver parcels over roads of different lengths."""

DOMAINS = {"gripper": GRIPPER, "blocks": BLOCKS, "delivery": DELIVERY}


def problem(name: str, domain: str, objects: str, start: Sequence[str], goal: Sequence[str], metric: str = "") -> str:
    """Return a problem as PDDL text, with one fact per line."""
    lines = [f"(define (problem {name})", f"  (:domain {domain})", f"  (:objects {objects})"]
    lines += ["  (:init", *(f"    {fact}" for fact in start), "  )"]
    lines += ["  (:goal (and", *(f"    {fact}" for fact in goal), "  ))"]
    return "\n".join([*lines, *([f"  (:metric {metric})"] if metric else []), ")", ""])


def gripper_problem(balls: int) -> str:
    """Return the problem of carrying all balls to the other room, as PDDL text."""
    names = [f"ball{number}" for number in range(1, balls + 1)]
    start = ["(at-robby rooma)", "(free left)", "(free right)", *(f"(at {name} rooma)" for name in names)]
    objects = f"rooma roomb - room left right - hand {' '.join(names)} - ball"
    return problem(f"gripper-{balls}", "gripper", objects, start, [f"(at {name} roomb)" for name in names])


def blocks_problem(start: Sequence[Sequence[int]], goal: Sequence[Sequence[int]]) -> str:
    """Return the problem of rebuilding towers, as PDDL text; a tower lists its blocks from the bottom up."""
    blocks = sorted(number for tower in start for number in tower)
    facts = ["(hand-empty)", *tower_facts(start), *(f"(clear b{tower[-1]})" for tower in start)]
    return problem(
        f"blocks-{len(blocks)}", "blocks", " ".join(f"b{number}" for number in blocks), facts, tower_facts(goal)
    )


def tower_facts(towers: Sequence[Sequence[int]]) -> list[str]:
    """Return the facts of towers of blocks."""
    facts = []
    for tower in towers:
        facts.append(f"(on-table b{tower[0]})")
        facts += [f"(on b{above} b{below})" for below, above in pairwise(tower)]
    return facts


def delivery_problem(
    roads: Sequence[tuple[int, int, int]], trucks: Sequence[int], parcels: Sequence[tuple[int, int]]
) -> str:
    """Return the problem of delivering parcels, as PDDL text.

    Args:
        roads: two places, numbered from 1, and the length of the road between them.
        trucks: the place of each truck.
        parcels: the place and the destination of each parcel.
    """
    places = max(max(a, b) for a, b, _ in roads)
    facts = [f"(at t{number} p{place})" for number, place in enumerate(trucks, 1)]
    facts += [f"(at x{number} p{place})" for number, (place, _) in enumerate(parcels, 1)]
    for a, b, length in roads:
        for one, other in ((a, b), (b, a)):
            facts += [f"(road p{one} p{other})", f"(= (length p{one} p{other}) {length})"]
    named = {"place": ("p", places), "truck": ("t", len(trucks)), "parcel": ("x", len(parcels))}
    objects = " ".join(
        f"{' '.join(f'{letter}{number}' for number in range(1, count + 1))} - {kind}"
        for kind, (letter, count) in named.items()
    )
    goal = [f"(at x{number} p{place})" for number, (_, place) in enumerate(parcels, 1)]
    metric = "minimize (total-cost)"
    return problem(f"delivery-{len(parcels)}", "delivery", objects, [*facts, "(= (total-cost) 0)"], goal, metric)
