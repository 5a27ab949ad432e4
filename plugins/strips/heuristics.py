"""Heuristics for planning tasks: open goals, and costs when no fact ever becomes false (Bonet and Geffner 2001).

Without deletes, a fact costs as much as the cheapest action that adds it. An action costs its price plus the cost of
the conditions: their maximum (`hmax`, which is admissible) or their sum (`hadd`). The cheapest actions of facts form a
plan without deletes, and `ff` is the cost of this plan (Hoffmann and Nebel 2001; Keyder and Geffner 2008 with the
actions of `hadd`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab import Heuristic

DOMAINS = frozenset({"strips"})


def goal_count(tiles: Any, goal: Any) -> int:
    """Count the goal facts that are false."""
    columns = tiles.shape[1]
    count = 0
    for fact in goal:
        count += 1 - tiles[fact // columns, fact % columns]
    return count


def relaxed_costs(
    tiles: Any,
    is_sum: bool,
    costs: Any,
    causes: Any,
    prices: Any,
    conditions: Any,
    conditions_at: Any,
    adds: Any,
    adds_at: Any,
    users: Any,
    users_at: Any,
) -> None:
    """Write the cost of each fact without deletes, and the cheapest action that adds it, -1 for a true fact.

    A fact that gets cheaper is put into a queue, and makes the actions that need it cheaper. Costs only decrease, so
    the queue becomes empty in any order.

    Args:
        is_sum: whether an action costs the sum of its conditions, or only the most expensive condition.
        costs: the costs to write, shape (facts,).
        causes: the numbers of the cheapest actions to write, shape (facts,).
    """
    columns = tiles.shape[1]
    facts, actions = len(costs), len(prices)
    queue = np.zeros(facts, np.int64)
    is_queued = np.zeros(facts, np.uint8)
    missing = np.zeros(actions, np.int64)  # conditions without a known cost
    first, count = 0, 0
    for fact in range(facts):
        causes[fact] = -1
        costs[fact] = np.inf
        if tiles[fact // columns, fact % columns]:
            costs[fact] = 0.0
            queue[count] = fact
            is_queued[fact] = 1
            count += 1
    for action in range(actions):
        missing[action] = conditions_at[action + 1] - conditions_at[action]
        if missing[action] == 0:
            for k in range(adds_at[action], adds_at[action + 1]):
                fact = adds[k]
                if prices[action] < costs[fact]:
                    costs[fact] = prices[action]
                    causes[fact] = action
                    if is_queued[fact] == 0:
                        queue[(first + count) % facts] = fact
                        is_queued[fact] = 1
                        count += 1
    is_known = np.zeros(facts, np.uint8)
    while count:
        fact = queue[first]
        first = (first + 1) % facts
        count -= 1
        is_queued[fact] = 0
        for use in range(users_at[fact], users_at[fact + 1]):
            action = users[use]
            if is_known[fact] == 0:
                missing[action] -= 1
            if missing[action]:
                continue
            cost = 0.0
            for k in range(conditions_at[action], conditions_at[action + 1]):
                cost = cost + costs[conditions[k]] if is_sum else max(cost, costs[conditions[k]])
            cost += prices[action]
            for k in range(adds_at[action], adds_at[action + 1]):
                added = adds[k]
                if cost < costs[added]:
                    costs[added] = cost
                    causes[added] = action
                    if is_queued[added] == 0:
                        queue[(first + count) % facts] = added
                        is_queued[added] = 1
                        count += 1
        is_known[fact] = 1


def hmax(
    tiles: Any,
    goal: Any,
    prices: Any,
    conditions: Any,
    conditions_at: Any,
    adds: Any,
    adds_at: Any,
    users: Any,
    users_at: Any,
) -> float:
    """Return the cost of the most expensive goal fact without deletes; an action adds its most expensive condition."""
    costs = np.zeros(len(users_at) - 1, np.float64)
    causes = np.zeros(len(users_at) - 1, np.int64)
    relaxed_costs(tiles, False, costs, causes, prices, conditions, conditions_at, adds, adds_at, users, users_at)
    highest = 0.0
    for fact in goal:
        highest = max(highest, costs[fact])
    return highest


def hadd(
    tiles: Any,
    goal: Any,
    prices: Any,
    conditions: Any,
    conditions_at: Any,
    adds: Any,
    adds_at: Any,
    users: Any,
    users_at: Any,
) -> float:
    """Return the sum of the costs of all goal facts without deletes; an action adds all its conditions."""
    costs = np.zeros(len(users_at) - 1, np.float64)
    causes = np.zeros(len(users_at) - 1, np.int64)
    relaxed_costs(tiles, True, costs, causes, prices, conditions, conditions_at, adds, adds_at, users, users_at)
    total = 0.0
    for fact in goal:
        total += costs[fact]
    return total


def ff(
    tiles: Any,
    goal: Any,
    prices: Any,
    conditions: Any,
    conditions_at: Any,
    adds: Any,
    adds_at: Any,
    users: Any,
    users_at: Any,
) -> float:
    """Return the cost of a plan without deletes: the actions by which `hadd` reaches the goal, each counted once."""
    facts = len(users_at) - 1
    costs = np.zeros(facts, np.float64)
    causes = np.zeros(facts, np.int64)
    relaxed_costs(tiles, True, costs, causes, prices, conditions, conditions_at, adds, adds_at, users, users_at)
    is_wanted = np.zeros(facts, np.uint8)
    is_taken = np.zeros(len(prices), np.uint8)
    stack = np.zeros(facts, np.int64)
    count = 0
    for fact in goal:
        if costs[fact] == np.inf:
            return np.inf
        stack[count] = fact
        is_wanted[fact] = 1
        count += 1
    total = 0.0
    while count:
        count -= 1
        action = causes[stack[count]]
        if action < 0 or is_taken[action]:
            continue
        is_taken[action] = 1
        total += prices[action]
        for k in range(conditions_at[action], conditions_at[action + 1]):
            fact = conditions[k]
            if is_wanted[fact] == 0:
                is_wanted[fact] = 1
                stack[count] = fact
                count += 1
    return total


HEURISTICS = (
    Heuristic("goal-count", goal_count, domains=DOMAINS, summary="the number of goal facts that are false"),
    Heuristic(
        "hmax",
        hmax,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        summary="the cost of the most expensive goal fact, ignoring deletes",
    ),
    Heuristic("hadd", hadd, domains=DOMAINS, summary="the sum of the costs of all goal facts, ignoring deletes"),
    Heuristic("ff", ff, domains=DOMAINS, summary="the cost of a plan that ignores deletes, extracted with hadd"),
)
