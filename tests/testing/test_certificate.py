"""Certificates: what searches claim on random graphs is proved to the checker, and nothing else is.

`python -m tests.testing.test_certificate FIRST LAST` checks many more graphs, and changed files.
"""

import io
import json
import sys
from itertools import pairwise
from math import inf
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.model.costs import exceeds
from searchlab.model.limits import Limits
from searchlab.plugins.registry import installed
from searchlab.search.certificate import why_no_certificate, write_certificate
from searchlab.search.solve import problem as problem_of
from searchlab.search.solve import search
from searchlab.search.watch import Watch
from searchlab.testing.certificate import Unproved, check
from searchlab.testing.certificate_file import read
from tests.search.random_graphs import STATES, RandomGraph

MEMORY = 2**24
MOST = 500
"""Expansions: deepening never ends where a circle costs nothing."""
FRONTIERS = (
    *("astar:duplicates=early", "astar:duplicates=late", "uniform-cost", "breadth-first", "greedy:reopen=yes"),
    *("weighted-astar:weight=2,reopen=no", "weighted-astar:weight=1.5,reopen=yes", "xdp:bound=2", "ees:bound=1.5"),
    *("depth-first", "ida-star", "cabs", "ara:weight=3,step=1"),
)
START = sl.Board([[0]])


def certified(graph, frontier, engine, path):
    """Search a graph and write the certificate; return the result, or None if it claims nothing."""
    problem = problem_of(START, domain=graph.domain, heuristic=graph.heuristic, frontier=frontier)
    try:
        result = search(problem, engine=engine, limits=Limits(expansions=MOST))
    except UsageError:
        return None
    if result.status == "error" or why_no_certificate(result):
        return None
    write_certificate(path, problem, result, Watch(Limits()))
    return result


def content(path):
    """Return the claim of a certificate, and the cost of each state by its number."""
    with ZipFile(path) as archive:
        claim = json.loads(archive.read("claim.json"))
        states, costs = (np.load(io.BytesIO(archive.read(name))) for name in ("states.npy", "g.npy"))
    return claim, dict(zip(states.ravel().tolist(), costs.tolist(), strict=True))


def rewrite(path, claim, costs):
    """Write a certificate anew, with its checksums."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("claim.json", json.dumps({**claim, "states": len(costs)}))
        states = np.array([*costs], np.uint8).reshape(-1, 1, 1)
        for name, array in (("states.npy", states), ("g.npy", np.array([*costs.values()], np.float64))):
            stream = io.BytesIO()
            np.save(stream, array)
            archive.writestr(name, stream.getvalue())


def verdict(path, graph):
    """Return what the checker says of a file: None if it is proved, else its error."""
    certificate = read(path, installed(), MEMORY, graph.domain, graph.heuristic)
    try:
        check(certificate)
    except Unproved as unproved:
        return unproved
    return None


def proves(graph, claim, costs):
    """Return whether a file is a proof: the rule once more, on numbers instead of boards."""
    bound = inf if claim["bound"] is None else claim["bound"]
    start, *plan = (state[0][0] for state in (claim["start"], *(claim["plan"] or ())))
    values = graph.values if claim["heuristic"] else dict.fromkeys(range(STATES), 0.0)

    def covered(state, g):
        return costs.get(state, inf) <= g + 1e-12 or not exceeds(bound, g + max(values[state], 0))

    if plan:
        steps = [
            min((cost for to, cost in graph.edges[one] if to == other), default=inf) for one, other in pairwise(plan)
        ]
        if bound == inf or plan[0] != start or plan[-1] not in graph.goals or abs(sum(steps) - claim["cost"]) > 1e-9:
            return False
    inner = {state: g for state, g in costs.items() if exceeds(bound, g)}
    return (
        covered(start, 0.0)
        and not graph.goals.intersection(inner)
        and all(
            covered(to, g + cost) or not exceeds(bound, g + max(values[state], 0))
            for state, g in inner.items()
            for to, cost in graph.edges[state]
        )
    )


def changed(random, claim, costs):
    """Yield what becomes of a file by each kind of change: its name, the claim and the costs."""
    states = [*costs]
    if states:
        removed = int(random.choice(states))
        yield "a state is removed", claim, {state: g for state, g in costs.items() if state != removed}
        raised = int(random.choice(states))
        more = float(random.choice([0.5, 1, 100]))
        yield "a cost is raised", claim, {**costs, raised: costs[raised] + more}
        yield "a cost is lowered", claim, {**costs, raised: costs[raised] - more}
    if claim["bound"] is not None:
        more = float(random.choice([0.01, 1, 100]))
        yield "the bound is raised", {**claim, "bound": claim["bound"] + more}, costs
    yield "no solution is claimed", {**claim, "bound": None}, costs
    if claim["plan"]:
        yield "the goal is cut", {**claim, "plan": claim["plan"][:-1]}, costs
    start = int(random.integers(STATES)) if not states else int(random.choice(states))
    yield "the start is swapped", {**claim, "start": [[start]]}, costs


def check_one(seed, path, engine="readable"):
    """Check the certificate of a random search and its changes; return the names of the changes, None without one."""
    graph = RandomGraph(seed)
    frontier = FRONTIERS[seed % len(FRONTIERS)]
    result = certified(graph, frontier, engine, path)
    if result is None:
        return None
    claim, costs = content(path)
    assert verdict(path, graph) is None, (seed, frontier)
    assert proves(graph, claim, costs), (seed, frontier)
    if graph.shape in ("consistent", "admissible") or claim["heuristic"] is None:
        assert not exceeds(inf if claim["bound"] is None else claim["bound"], graph.optimum), (seed, frontier)
    refused = []
    for name, other, of_states in changed(graph.random, claim, costs):
        if other["start"][0][0] >= graph.size:
            continue
        rewrite(path, other, of_states)
        said, expected = verdict(path, graph), proves(graph, other, of_states)
        assert (said is None) == expected, (seed, frontier, name, said)
        if said is not None:
            assert said.states or "plan" in str(said) or "claim" in str(said), (seed, name, said)
            refused.append(name)
    return refused


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_certificates_of_random_searches_are_proved_and_changed_ones_refused(tmp_path_factory, seed):
    check_one(seed, tmp_path_factory.getbasetemp() / "proof.zip")


if __name__ == "__main__":
    from collections import Counter
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        for engine in ("readable", "compiled"):
            refused, proofs = Counter(), 0
            for seed in range(*map(int, sys.argv[1:])):
                found = check_one(seed, Path(folder) / "proof.zip", engine)
                proofs += found is not None
                refused.update(found or ())
            print(f"{engine}: {proofs:,} certificates; refused changes: {dict(refused)}")
