"""Models in experiments: a worker loads one once, and a changed file makes other runs."""

import numpy as np

PLUGIN = """
import numpy as np
from searchlab import Heuristic, Parameter, hookimpl

def load(file):
    with open("loads.txt", "a") as log:
        log.write("loaded\\n")
    return np.load(file)

def misplaced(boards, net):
    return (boards.reshape(len(boards), 9)[:, :8] != net).sum(axis=1)

@hookimpl
def searchlab_heuristics():
    file = Parameter("file", "net.npy", kind="file")
    yield Heuristic("network", batch=misplaced, models={"net": load}, parameters=(file,), domains={"sliding-tile"})
"""


def test_a_worker_loads_a_model_once_and_its_content_identifies_the_runs(run, write, folder):
    """Four runs of one worker need one load; with other weights they are other runs."""
    np.save("net.npy", np.arange(1, 9))
    write("network.py", PLUGIN)
    boards = ("sliding-tile/example", "sliding-tile/puzzle8-20")
    command = ("--plugin", "network.py", "run", *boards, "--frontier", "astar", "--frontier", "greedy")
    command += ("--heuristic", "network", "--workers", 1, "--output", "results", "--json")

    def loads_after_the_command():
        ran = run(*command)
        assert ran.code == 0, ran.err
        return len((folder / "loads.txt").read_text().splitlines())

    assert loads_after_the_command() == 1
    assert loads_after_the_command() == 1
    np.save("net.npy", np.array([1, 2, 3, 4, 5, 6, 7, 0]))
    assert loads_after_the_command() == 2
