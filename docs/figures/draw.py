"""Draw the pictures of docs/plots.md, docs/neural-heuristics.md and the tutorial on heuristics anew.

    python docs/figures/draw.py [FOLDER]

What they show is computed for them: a minute of one core. No picture shows times, so that they are the same each time.
"""

import os
import runpy
import shlex
import sys
import tempfile
from pathlib import Path

from searchlab.cli import main

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
TRAINING = EXAMPLES / "train_network.py"
"""It writes the file that the example network.py reads."""
RESULTS = (
    "run 'sliding-tile/puzzle15-*' --frontier weighted-astar:weight=1.2 --frontier weighted-astar:weight=1.5"
    " --frontier weighted-astar --frontier weighted-astar:weight=3 --frontier weighted-astar:weight=5"
    " --heuristic taxicab --heuristic misplaced --max-expansions 1000000 --name weights",
    "run 'sliding-tile/puzzle8-2*' 'sliding-tile/puzzle8-3*' --frontier astar --frontier greedy --frontier ida-star"
    " --heuristic taxicab --heuristic misplaced --max-expansions 100000 --name puzzles",
    "run 'sliding-tile/korf100/0[0-3]?' --frontier rectangle --frontier cabs --frontier ara"
    " --frontier anytime-weighted"
    " --heuristic taxicab --max-expansions 300000 --name anytime",
    "tournament expectimax:depth=1 greedy random --games 40 --output results/games",
    "train ntuple --games 6000 --output net",
    f"--plugin {shlex.quote(str(EXAMPLES / 'lines_off.py'))}"
    " run 'sliding-tile/puzzle8-*' --heuristic misplaced --heuristic lines-off --frontier astar --name tour",
)
PICTURES = {
    "scatter": "results/puzzles scatter --x taxicab --y misplaced",
    "cactus": "results/puzzles cactus --metric expanded",
    "anytime": "results/anytime anytime",
    "profile": "results/puzzles profile",
    "coverage": "results/puzzles coverage",
    "bars": "results/puzzles bars --where heuristic=taxicab",
    "heatmap": "results/puzzles heatmap",
    "scaling": "results/weights scaling --x weight",
    "learning": "net learning",
    "scores": "results/games scores",
    "reached": "results/games reached",
    "heuristic": "heuristic taxicab",
    "search": "search sliding-tile/puzzle8-31",
}
"""What `searchlab plot` is asked for, by the name of the picture."""
TOUR = {"tour": "results/tour scatter --x lines-off --y misplaced"}
"""The picture of the README."""
NEURAL = {"network": "heuristic network taxicab"}
"""The picture of docs/neural-heuristics.md."""


def draw(folder: Path) -> None:
    """Compute what is shown, and draw it into a folder."""
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for line in RESULTS:
            _run(line)
        runpy.run_path(str(TRAINING))
        for name, line in {**PICTURES, **TOUR, **NEURAL}.items():
            plugin = f"--plugin {shlex.quote(str(EXAMPLES / 'network.py'))} " if name in NEURAL else ""
            _run(f"{plugin}plot {line} --output {shlex.quote(str(folder / f'{name}.svg'))}")


def _run(line: str) -> None:
    if main(shlex.split(line)):
        sys.exit(f"failed: searchlab {line}")


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent).resolve())
