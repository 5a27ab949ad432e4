"""Planning tasks: plans and heuristics against another implementation, gripper's 1,760 nodes, and every frontier."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import numpy as np
import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.testing.samples import other_samples, samples
from searchlab_plugins.strips.files import instance_of
from searchlab_plugins.strips.generators import blocks, delivery, gripper
from searchlab_plugins.strips.grounding import words_for
from searchlab_plugins.strips.tasks import DELIVERY, GRIPPER, delivery_problem, gripper_problem

from .plain_strips import PlainTask

FOLDER = Path(__file__).parents[2] / "boards" / "strips"
FRONTIERS = sorted(
    item.component.name
    for item in sl.Plugins().all("frontier")
    if item.component.run is None and item.component.family != "bidirectional"
)
"""Those that are compiled, and need no moves backwards."""
SHORT = ("blocks-4", "blocks-5", "delivery-2", "gripper-2", "gripper-4")


def text_of(name):
    """The domain and the problem of a board that ships, as one text."""
    return (FOLDER / f"{name.split('-')[0]}-domain.pddl").read_text() + (FOLDER / f"{name}.pddl").read_text()


def atoms(instance, board):
    """The facts that are true on a board, and the atoms that make them so."""
    names = instance.static["facts"].split("\n")
    return {tuple(names[fact][1:-1].split()) for fact in np.flatnonzero(board.tiles) if "(not" not in names[fact]}


def walk(instance, steps, seed):
    """Boards of a random walk from the start."""
    domain, random, board = sl.domain("strips").of(instance), Random(seed), instance.start
    for _ in range(steps):
        yield board
        board = random.choice(domain.neighbors(board) or [instance.start])


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_plans_of_shipped_tasks_cost_as_much_as_those_of_another_search(name):
    """Which grounds every action with every object, and has sets of atoms for states."""
    (instance,) = sl.domain("strips").instances(f"strips/{name}.pddl")
    result = sl.solve(instance, domain="strips")
    assert (result.cost, result.optimal) == (PlainTask(text_of(name)).cheapest(), True)
    assert result.cost == sl.solve(instance, domain="strips", frontier="uniform-cost").cost


def test_shipped_tasks_equal_those_of_the_generators():
    """The generator and the file of gripper are the same task, and the domains are its texts."""
    (instance,) = sl.domain("strips").instances("strips/gripper-6.pddl")
    assert instance.digest == gripper(Random(0), 6).digest
    assert (FOLDER / "delivery-domain.pddl").read_text() == DELIVERY
    assert len(sl.domain("strips").instances("strips")) == len([*FOLDER.glob("*-?.pddl")]) == 10


@pytest.mark.slow
def test_gripper_with_hmax_expands_1760_nodes():
    """With f below 17, the cost of a plan, are 1,758 of the 1,856 states; then A* takes two nodes at once.

    Both have h = 1, the newest of their class. pyperplan 2.1 takes one, and counts the goal as expanded: 1,760, too.
    """
    instance = gripper(Random(0), 6)
    domain = sl.domain("strips").of(instance)
    hmax = sl.heuristic("hmax", domain=domain)
    depths, layer = {instance.start: 0}, [instance.start]
    while layer:
        layer = [after for board in layer for after in domain.neighbors(board) if depths.setdefault(after, -1) == -1]
        layer = list(dict.fromkeys(layer))
        depths |= dict.fromkeys(layer, max(depths.values()) + 1)
    values = Counter(depth + hmax(board) for board, depth in depths.items())
    assert len(depths) == 1856
    assert sum(number for f, number in values.items() if f < 17) == 1758
    result = sl.solve(instance, domain="strips", heuristic="hmax", engine="compiled")
    assert (result.cost, result.optimal, result.expanded) == (17, True, 1760)


@pytest.mark.slow
@pytest.mark.parametrize("frontier", [name for name in FRONTIERS if name != "epea-star"])  # it needs `chosen`
def test_every_frontier_plans_in_compiled_code(frontier):
    """With costs and without; the plan is a cheapest one where that is claimed."""
    tasks = (
        GRIPPER + gripper_problem(2),
        DELIVERY + delivery_problem([(1, 2, 3), (2, 3, 1), (1, 3, 5)], [1], [(1, 3), (2, 1)]),
    )
    for text in tasks:
        instance, cost = instance_of(text, ""), PlainTask(text).cheapest()
        result = sl.solve(instance, domain="strips", frontier=frontier, engine="compiled")
        assert result.status == "solved"
        assert result.cost >= cost
        assert result.cost == cost or not result.optimal
    assert sl.domain("strips").of(gripper(Random(0), 2)).unit_cost
    assert not sl.domain("strips").of(instance).unit_cost
    assert not sl.domain("strips").unit_cost


@pytest.mark.slow
def test_breadth_first_is_optimal_if_all_actions_cost_1():
    assert sl.solve(gripper(Random(0), 3), domain="strips", frontier="breadth-first").optimal
    instance = instance_of(DELIVERY, delivery_problem([(1, 2, 9), (1, 3, 1), (3, 2, 1)], [1], [(1, 2)]))
    found = sl.solve(instance, domain="strips", frontier="breadth-first")
    assert (found.cost, found.optimal) == (11, False)  # by way of 3 it is 4


@pytest.mark.parametrize("name", ["blocks-5", "delivery-2", "gripper-4"])
def test_heuristics_equal_an_independent_computation(name):
    """hmax and hadd are the least costs that the actions allow; the cost of a relaxed plan is between them."""
    (instance,) = sl.domain("strips").instances(f"strips/{name}.pddl")
    domain, plain = sl.domain("strips").of(instance), PlainTask(text_of(name))
    count, hmax, hadd, ff = (sl.heuristic(each, domain=domain) for each in ("goal-count", "hmax", "hadd", "ff"))
    for board in walk(instance, 25, seed=1):
        state = atoms(instance, board) | (plain.start - fluents(plain))
        assert count(board) == sum(atom not in state for _, atom in plain.goal)
        assert hmax(board) == plain.relaxed(state, max)
        assert hadd(board) == plain.relaxed(state, sum)
        assert hmax(board) <= ff(board) <= hadd(board)


def fluents(plain):
    """The atoms that actions change."""
    return {atom for _, _, effects, _ in plain.actions for _, atom in effects}


def random_task(seed):
    """A task of six facts and eight actions that make some true and some false, at costs from 0 to 3."""
    random = Random(seed)
    facts = [f"(f{number})" for number in range(6)]

    def literals(least, most):
        chosen = random.sample(facts, random.randint(least, most))
        return " ".join(fact if random.random() < 0.6 else f"(not {fact})" for fact in chosen)

    actions = "".join(
        f"(:action a{number} :parameters () :precondition (and {literals(1, 3)})"
        f" :effect (and {literals(1, 3)} (increase (total-cost) {random.randint(0, 3)})))"
        for number in range(8)
    )
    predicates = " ".join(facts)
    init, goal = " ".join(random.sample(facts, 2)), literals(2, 4)
    metric = "(:metric minimize (total-cost))" if seed % 2 else ""
    return (
        f"(define (domain d) (:predicates {predicates}) (:functions (total-cost)) {actions})"
        f"(define (problem p) (:domain d) (:init {init}) (:goal (and {goal})) {metric})"
    )


@pytest.mark.slow
def test_random_tasks_have_the_plans_of_another_search():
    """Or none: negations, actions that change nothing, goals that hold from the start, costs of 0."""
    outcomes = Counter()
    for seed in range(60):
        text = random_task(seed)
        instance, plain = instance_of(text, ""), PlainTask(text)
        result = sl.solve(instance, domain="strips", engine="compiled")
        cost = plain.cheapest()
        assert (result.status, result.cost) == (("unsolvable", None) if cost is None else ("solved", cost)), seed
        hmax = sl.heuristic("hmax", domain=sl.domain("strips").of(instance))(instance.start)
        assert hmax == plain.relaxed(plain.start, max)
        outcomes[result.status] += 1
    assert min(outcomes["solved"], outcomes["unsolvable"]) > 5


@pytest.mark.slow
def test_names_of_actions_are_valid_in_other_planners():
    """Every action of a plan is one of the task, with its objects in order."""
    (instance,) = sl.domain("strips").instances("strips/delivery-2.pddl")
    plain = PlainTask(text_of("delivery-2"))
    state = plain.start
    for action in sl.solve(instance, domain="strips").actions:
        state = {name: after for name, after, _ in plain.successors(state)}[action]
    assert {atom for _, atom in plain.goal} <= state


def test_a_task_without_a_plan_states_the_reason():
    """Without a search, if the goal cannot be reached even when nothing becomes false."""
    instance = instance_of(GRIPPER, gripper_problem(2).replace("(free left)", "").replace("(free right)", ""))
    result = sl.solve(instance, domain="strips")
    assert (result.status, result.expanded) == ("unsolvable", 0)
    assert "nothing makes (at ball1 roomb) true" in sl.domain("strips").of(instance).why_unsolvable(instance.start)


@pytest.mark.slow
def test_large_tasks_have_several_words():
    """Of 64 facts; the board has a row for each."""
    instance = gripper(Random(0), 20)
    assert instance.start.shape == (2, 64)
    result = sl.solve(instance, domain="strips", heuristic="ff", frontier="greedy", engine="compiled")
    assert result.status == "solved"
    assert [words_for(facts) for facts in (0, 64, 65, 192, 193, 257, 640)] == [1, 1, 2, 3, 4, 6, 12]
    wrong = sl.domain("strips").of(instance).why_invalid
    assert wrong(sl.Board([[0] * 64])) == "a state of 84 facts has 2 × 64 cells, and this has 1 × 64"
    assert wrong(sl.Board(np.ones((2, 64), int))) == "there are 84 facts, and the cells after them are 0"


@pytest.mark.slow
def test_a_task_of_many_facts_and_actions_takes_no_memory_for_tiles():
    """There are cells for 4,096 facts, and there is room for the successors by 16,384 actions."""
    instance = sl.generator("blocks:blocks=60", domain="strips").instance(1)
    limits = sl.Limits(expansions=50, memory=100 * 2**20)
    result = sl.solve(instance, domain="strips", heuristic="goal-count", frontier="greedy", limits=limits)
    assert (result.status, result.expanded) == ("expansion-limit", 50)
    assert result.peak_bytes < 20 * 2**20


def test_rules_that_ask_for_static_data_have_other_samples():
    """Which of the parameters to change is asked of the rules for a board of the samples."""
    plugins = sl.Plugins()
    domain = sl.domain("strips", plugins=plugins)
    assert other_samples(domain, samples(domain, plugins), plugins) == []


@pytest.mark.slow
def test_generators_give_the_same_tasks_from_the_same_seed():
    """And solvable ones."""
    for make in (gripper, blocks, delivery):
        one, same = make(Random(3)), make(Random(3))
        assert (one.digest, one.start) == (same.digest, same.start)
    assert blocks(Random(1)).digest != blocks(Random(2)).digest
    for seed in range(5):
        assert sl.solve(blocks(Random(seed), 4), domain="strips").status == "solved"
        assert sl.solve(delivery(Random(seed), 2, 4, 1), domain="strips").status == "solved"


def test_every_state_is_written_and_read():
    """A state other than the first stands in a comment, so that the file is the problem for every planner."""
    domain = sl.domain("strips").of(gripper(Random(0), 2))
    first = domain.instance.start
    assert "; state:" not in domain.format(first)
    after = domain.neighbors(first)[0]
    (again,) = domain.parse(domain.format(after))
    assert (again.start, again.digest) == (after, domain.instance.digest)
    with pytest.raises(ValueError, match=r"has '\(at ball9 rooma\)', which is no fact of the task"):
        domain.parse("; state: (at ball9 rooma)\n" + domain.format(first))


def test_a_picture_lists_true_facts_and_open_goals():
    """The true facts by predicate, and what is left of the goal."""
    (instance,) = sl.domain("strips").instances("strips/delivery-2.pddl")
    domain = sl.domain("strips").of(instance)
    assert domain.picture(instance.start) == "at    t1 p1, x1 p2, x2 p4\n\ngoal  · at x1 p5, · at x2 p1"
    last = sl.solve(instance, domain="strips").boards[-1]
    assert domain.picture(last).splitlines()[-1] == "goal  ✓ at x1 p5, ✓ at x2 p1"


def test_an_image_has_a_box_for_each_fact():
    """A box for each fact in a place of its own, two of them with the edge of the goal; of a large task, true ones."""

    def boxes(instance, board):
        root = ElementTree.fromstring(sl.domain("strips").of(instance).svg(board))
        drawn = root.iter("{http://www.w3.org/2000/svg}rect")
        return [(each.get("x"), each.get("y"), each.get("fill"), each.get("stroke-width")) for each in drawn]

    (instance,) = sl.domain("strips").instances("strips/delivery-2.pddl")
    last = sl.solve(instance, domain="strips").boards[-1]
    first, after = boxes(instance, instance.start), boxes(instance, last)
    names = instance.static["facts"].split("\n")
    assert len(first) == len([name for name in names if "(not" not in name])
    assert [box[:2] for box in first] == [box[:2] for box in after]
    for drawn, filled in ((first, 0), (after, 2)):
        of_goal = [fill for *_, fill, edge in drawn if edge]
        assert (len(of_goal), len([fill for fill in of_goal if fill != "none"])) == (2, filled)
    large = gripper(Random(0), 40)
    assert len(boxes(large, large.start)) == 40 + 40 + 1 + 2


def validated(text, plan):
    """The cost of a plan in a file, computed from the text of the task; fails at the first line that is wrong."""
    task = PlainTask(text)
    *steps, last = plan.splitlines()
    state, cost = task.start, 0.0
    for step in steps:
        taken = {name: (after, price) for name, after, price in task.successors(state)}
        state, price = taken[step]
        cost += price
    assert all((atom in state) == holds for holds, atom in task.goal)
    assert last == f"; cost = {cost:g} ({'general' if task.has_metric else 'unit'} cost)"
    return cost


@pytest.mark.parametrize("frontier", ["astar", "greedy", "beam:width=20"])
@pytest.mark.parametrize("name", ["delivery-2", "gripper-4", "blocks-4"])
def test_a_plan_file_holds_a_plan_that_another_program_accepts(name, frontier, tmp_path, capsys):
    """It reads the task once more, takes the actions of the file one by one, and adds up their costs."""
    file = tmp_path / "task.plan"
    task = f"strips/{name}.pddl"
    options = ("--json", "--heuristic", "hadd", "--frontier", frontier, "--engine", "readable")
    assert main(["solve", task, *options, "--plan-file", str(file)]) == 0
    assert validated(text_of(name), file.read_text()) == json.loads(capsys.readouterr().out)["cost"]
