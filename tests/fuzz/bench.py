"""The folder in which inputs are tried: boards, experiments, results, a network and a plugin, always the same."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import searchlab as sl
from searchlab.experiments.runs import GAMES, SEARCHES
from searchlab.experiments.store import Store
from searchlab.games.learning.network import save_network

if TYPE_CHECKING:
    from collections.abc import Callable

PLUGIN = """\
from searchlab import Heuristic, hookimpl


def blanks(tiles, weight=1.0):
    return weight * (tiles == 0).sum()


def failing(tiles):
    raise ValueError("no idea")


@hookimpl
def searchlab_heuristics():
    yield Heuristic("blanks", blanks, domains={"2048"}, prefer="high")
"""
FILES = {
    "b.txt": "4\n256 8 0 2\n256 8 16 2\n512 4 0 0\n1024 0 0 0\n",
    "eight.txt": "3\n1 2 3\n0 4 6\n7 5 8\n",
    "unsolvable.txt": "3\n1 2 3\n4 5 6\n8 7 0\n",
    "wide.txt": "1 4\n4 3 2 1\n",
    "ragged.txt": "2\n2 0\n4\n",
    "empty.txt": "",
    "two words.txt": "2\n2 0\n0 2\n",
    "set/1.txt": "2\n2 0\n0 2\n",
    "set/2.txt": "2\n4 0\n0 2\n",
    "set/set.toml": 'domain = "2048:goal=8"\nsource = "made"\n\n[optimal]\n1 = 2\n',
    "e.toml": 'name = "e"\nboards = ["eight.txt"]\nheuristics = ["taxicab"]\nfrontiers = ["astar", "greedy"]\n',
    "games.toml": 'name = "games"\ndomains = ["2048-random"]\nplayers = ["greedy", "random"]\nseeds = "1-3"\n',
    "mine.py": PLUGIN,
    "broken.py": "def f(:\n",
    "runs.csv": "a,b\n1,2\n",
}
SEARCHED, PLAYED, NETWORK = "searched", "played", "network.npz"


class Bench:
    """A folder with the same files at the beginning of every input.

    Args:
        folder: where it may be made.
        make_record, make_game: make up what is in the stores.

    Attributes:
        folder: where inputs are tried, the current folder.
        table: the results of the searches.
        network: the bytes of the file of a network.
        stores: the bytes of the files of results, by folder.
    """

    def __init__(self, folder: Path, make_record: Callable[..., Any], make_game: Callable[..., Any]) -> None:
        self._good, self.folder = folder / "good", folder / "here"
        for name, text in FILES.items():
            path = self._good / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self._good / "loop").symlink_to("loop")
        (self._good / "nowhere").symlink_to("gone")
        searches = [
            make_record(board, heuristic, frontier, status=status, cost=float(board), moves=board, expanded=10 * board)
            for board in range(1, 7)
            for heuristic, frontier, status in (
                ("taxicab", "astar", "solved"),
                ("misplaced", "astar", "solved"),
                ("taxicab", "greedy", "time-limit"),
            )
        ]
        games = [
            make_game(player, seed, 10.0 * seed + len(player))
            for player in ("greedy", "random")
            for seed in range(1, 8)
        ]
        for name, kind, records in ((SEARCHED, SEARCHES, searches), (PLAYED, GAMES, games)):
            with Store(self._good / name, writes=True, kind=kind) as store:
                store.specify('{"name": "made"}', "2026-11-21T12:00:00+00:00")
                store.add(records)
        self.stores = {name: (self._good / name / "results.sqlite").read_bytes() for name in (SEARCHED, PLAYED)}
        self.table = sl.load_results(self._good / SEARCHED)
        network = sl.NTupleNetwork(2, 2, ((0, 1), (1, 3)), bits=2, powers_of_two=True, symmetric=True)
        network.weights[:5] = np.arange(5, dtype=np.float32)
        save_network(network, self._good / NETWORK)
        self.network = (self._good / NETWORK).read_bytes()
        self._seen: dict[str, tuple[int, ...]] = {}

    def renew(self) -> None:
        """Restore the folder if it has changed."""
        now = _seen(self.folder) if self._seen else {}
        if now == self._seen and now:
            return
        if self._seen and self._seen.keys() <= now.keys() and self._is_like(now):
            for path in [path for path in now if now[path] != self._seen.get(path)]:
                if path not in self._seen:
                    _remove(Path(path))
                elif os.path.isfile(path) and not os.path.islink(path):
                    shutil.copy2(self._good / Path(path).relative_to(self.folder), path)
        else:
            _remove(self.folder)
            shutil.copytree(self._good, self.folder, symlinks=True)
        os.chdir(self.folder)
        self._seen = _seen(self.folder)

    def _is_like(self, now: dict[str, tuple[int, ...]]) -> bool:
        """Return whether the first files are still there, and of the same kind."""
        return all(now[path][-1] == status[-1] for path, status in self._seen.items())


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it is there, whatever may be done with it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, onerror=lambda remove, at, _: (os.chmod(os.path.dirname(at), 0o700), remove(at)))
    else:
        path.unlink(missing_ok=True)


def _seen(folder: Path) -> dict[str, tuple[int, ...]]:
    """Return the files of a folder with their state."""
    found = {}
    pending = [str(folder)]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            return {}
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            found[entry.path] = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode)
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
    return found
