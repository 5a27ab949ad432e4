"""Generators of planning tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import Generator, Instance, Parameter
from searchlab_plugins.strips.files import instance_of
from searchlab_plugins.strips.tasks import BLOCKS, DELIVERY, GRIPPER, blocks_problem, delivery_problem, gripper_problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


def gripper(random: Random, balls: int = 6) -> Instance:
    """Return the gripper task of a size, which does not depend on chance."""
    return instance_of(GRIPPER, gripper_problem(balls))


def towers(random: Random, blocks: int) -> list[list[int]]:
    """Return random towers: blocks in random order, each on the table or on the block before it."""
    left = list(range(1, blocks + 1))
    built: list[list[int]] = []
    while left:
        block = left.pop(int(random.random() * len(left)))
        place = int(random.random() * (len(built) + 1))
        if place == len(built):
            built.append([])
        built[place].append(block)
    return built


def blocks(random: Random, blocks: int = 6) -> Instance:
    """Return a task of rebuilding random towers."""
    return instance_of(BLOCKS, blocks_problem(towers(random, blocks), towers(random, blocks)))


def delivery(random: Random, parcels: int = 3, places: int = 6, trucks: int = 2) -> Instance:
    """Return a delivery task on a random tree of roads with some additional roads."""

    def one_of(count: int) -> int:
        return 1 + int(random.random() * count)

    roads = [(one_of(place - 1), place, one_of(9)) for place in range(2, places + 1)]
    joined = {frozenset(road[:2]) for road in roads}
    for _ in range(places // 2):
        a, b = one_of(places), one_of(places)
        if a != b and frozenset((a, b)) not in joined:
            joined.add(frozenset((a, b)))
            roads.append((a, b, one_of(9)))
    at = [one_of(places) for _ in range(trucks)]
    moved = [(place := one_of(places), 1 + (place - 1 + one_of(places - 1)) % places) for _ in range(parcels)]
    return instance_of(DELIVERY, delivery_problem(roads, at, moved))


def check(least: int, most: int) -> Callable[[int], str]:
    """Return a check of a parameter: its error message for a number outside a range, or `""`."""

    def wrong(number: int) -> str:
        return "" if least <= number <= most else f"it is a number from {least} to {most}"

    return wrong


DOMAINS = frozenset({"strips"})
GENERATORS = (
    Generator(
        "gripper",
        gripper,
        domains=DOMAINS,
        parameters=(Parameter("balls", 6, "balls to be carried", check=check(1, 200)),),
        summary="a robot with two hands that carries balls to another room",
    ),
    Generator(
        "blocks",
        blocks,
        domains=DOMAINS,
        parameters=(Parameter("blocks", 6, "blocks", check=check(1, 60)),),
        summary="random towers of blocks to rebuild",
    ),
    Generator(
        "delivery",
        delivery,
        domains=DOMAINS,
        parameters=(
            Parameter("parcels", 3, "parcels to be delivered", check=check(1, 60)),
            Parameter("places", 6, "places on the map", check=check(2, 100)),
            Parameter("trucks", 2, "trucks, each for one parcel", check=check(1, 20)),
        ),
        summary="trucks that deliver parcels over random roads",
    ),
)
