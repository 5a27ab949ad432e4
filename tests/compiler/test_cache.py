"""Machine code is cached by content, in a folder only its user can write, in files that are whole."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from random import Random

import pytest
from numba.core import event

import searchlab as sl
from searchlab.compiler import cache as machine_code
from searchlab.compiler.arrays import Arrays, Pointer, array
from searchlab.compiler.cache import HEADER_SIZE
from searchlab.compiler.functions import compile_kernel
from searchlab.errors import SearchlabWarning
from searchlab.files.cache import MACHINE_CODE, cache_folder_at

pytestmark = pytest.mark.shortcuts


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Compile a small search once: the folder its machine code is in, and what the program printed."""
    folder = tmp_path_factory.mktemp("compiled") / "cache"
    return folder, run(folder, SMALL.format(heuristic="empty"))


@pytest.fixture
def filled(compiled, cache):
    """The same folder for one test, and what the program prints."""
    folder, printed = compiled
    shutil.copytree(folder, cache)
    return cache, printed


def run(cache, source, **environment):
    """Run a program with this cache folder; return its output."""
    completed = subprocess.run(
        [sys.executable, "-W", "always", "-c", textwrap.dedent(source)],
        env={**os.environ, "SEARCHLAB_CACHE_DIR": str(cache), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout + completed.stderr


def listing(cache):
    return sorted(path.name for path in cache.iterdir())


SMALL = """
import searchlab as sl
result = sl.solve(domain="2048:goal=16", heuristic="{heuristic}")
print(result.status, result.moves, result.expanded)
"""
NUMBA_LOADED = """
import sys
print("numba" in sys.modules)
"""


@pytest.mark.slow
def test_a_short_search_compiles_only_what_it_calls(compiled):
    """Nothing that makes its table larger, nor the successor function, which is a part of the step."""
    folder, _ = compiled
    assert [name.partition("-")[0] for name in listing(folder) if name.endswith(MACHINE_CODE)] == [
        "early_buckets",
        "empty",
        "estimate",
        "expand",
        "is_packed_goal",
    ]


@pytest.mark.slow
def test_a_second_process_compiles_nothing_and_the_folder_does_not_grow(filled):
    """The second run finds everything, needs no numba, which takes longer to load, and gives the same result."""
    cache, first = filled
    files = listing(cache)
    without_compiler = """
    import searchlab.compiler.cache as machine_code
    def refuse(*arguments):
        raise AssertionError("compiled something")
    machine_code._compile = refuse
    """
    program = textwrap.dedent(without_compiler) + SMALL.format(heuristic="empty") + NUMBA_LOADED
    assert run(cache, program) == f"{first}False\n"
    assert listing(cache) == files


@pytest.mark.slow
def test_code_that_allocates_memory_is_loaded_without_numba(cache):
    """It takes two modules of numba, which numba finds if it is needed later; without them numba is loaded at once."""
    program = """
    import sys
    import numpy as np
    import searchlab as sl
    from searchlab.compiler import numba_private

    def sorted_tiles(tiles):
        copy = np.zeros(tiles.size, np.int64)
        for k in range(tiles.size):
            copy[k] = tiles[k // tiles.shape[1], k % tiles.shape[1]]
        copy.sort()
        return -copy[0] - copy.reshape((1, copy.size))[0, -1]

    def listed_tiles(tiles):
        listed = [tile for tile in tiles[0]]
        return -len(listed)

    for prefix in numba_private.EXTENSIONS:
        numba_private.EXTENSIONS[prefix] += "{suffix}"
    for heuristic in ({heuristics}):
        result = sl.solve(domain="2048:goal=16", heuristic=heuristic, engine="compiled")
        print(result.status, result.expanded, "numba" in sys.modules)
    """
    program = textwrap.dedent(program)
    compiled = run(cache, program.format(suffix="", heuristics="sorted_tiles,"))
    assert compiled.startswith("solved ")
    assert compiled.endswith(" True\n")
    in_cache = compiled.replace("True", "False")
    assert run(cache, program.format(suffix="", heuristics="sorted_tiles,")) == in_cache
    assert run(cache, program.format(suffix="_is_gone", heuristics="sorted_tiles,")) == compiled
    both = run(cache, program.format(suffix="", heuristics="sorted_tiles, listed_tiles"))
    assert both.startswith(in_cache)
    assert both.endswith(" True\n")


@pytest.mark.slow
def test_machine_code_of_functions_with_equal_names_is_distinguished(cache):
    """Machine code of functions of one name, each the first its process compiled, does not take each other's place."""
    program = """
    from searchlab.compiler.arrays import Arrays, Pointer, array
    from searchlab.compiler.functions import compile_kernel

    class Unused(Arrays):
        numbers: Pointer = array("i8", 1)

    FACTOR = 0

    def many_times(times, x):
        return x * FACTOR if times == 0 else many_times(times - 1, x)  # too recursive to be inlined

    def product(s, x):
        return many_times(x, x)

    def kernel(factor):
        return compile_kernel(product, Unused, constants={"FACTOR": factor})
    """
    program = textwrap.dedent(program)
    alone = [run(cache, program + f"print(kernel({factor})(0, 7))") for factor in (2, 3)]
    assert alone == ["14\n", "21\n"]
    assert len(listing(cache)) == 2
    assert run(cache, program + "print(kernel(2)(0, 7))\nprint(kernel(3)(0, 7))") == "".join(alone)


HELPERS = """
from searchlab.compiler.adapters import PLUGIN_OPTIONS
from searchlab.compiler.arrays import Arrays, Pointer, array
from searchlab.compiler.dependencies import FunctionToCompile
from searchlab.compiler.functions import compile_kernel

class Unused(Arrays):
    numbers: Pointer = array("i8", 1)

def product_of(n):
    return 1 if n <= 1 else n * product_of(n - 1)

def factorial(s, n):
    return product_of(n)

def is_odd(n):
    return False if n == 0 else is_even(n - 1)

def is_even(n):
    return True if n == 0 else is_odd(n - 1)

def tell(n):
    print("it is", n, "now")

def said(s, n):
    tell(n)
    return n

def check(n):
    if n > 4:
        raise ValueError("too large", n)

check = FunctionToCompile(check, PLUGIN_OPTIONS)  # kernels do not allocate, as this does to raise what it is given

def small(s, n):
    check(n)
    return n

def parity(s, n):
    return 1 if is_odd(n) else 0

for function in (factorial, parity, said, small):
    kernel = compile_kernel(function, Unused)
    for n in (4, 5):
        try:
            print(kernel(0, n), flush=True)
        except ValueError as error:
            print(repr(error), flush=True)
"""


@pytest.mark.slow
def test_helpers_behave_the_same_compiled_and_loaded(cache):
    """Functions that call themselves or each other, that print, that raise what they are given."""
    said = "24\n120\n0\n1\nit is 4 now\n4\nit is 5 now\n5\n4\nValueError('too large', 5)\n"
    assert [run(cache, HELPERS), run(cache, HELPERS)] == [said, said]


@pytest.mark.slow
def test_an_edited_heuristic_never_runs_from_a_stale_cache(filled, tmp_path):
    """Editing a helper in another file changes the result of the next run."""
    cache, _ = filled
    helpers, plugin = tmp_path / "helpers.py", tmp_path / "mine.py"
    plugin.write_text(
        "import sys\nsys.path.insert(0, __file__.rpartition('/')[0])\nimport helpers\n"
        "def h(tiles):\n    return helpers.weigh(tiles[0, 0] + tiles[1, 1] + 2 * tiles[3, 2])\n"
    )
    source = f"""
    import searchlab as sl
    for engine in ("compiled", "readable"):
        result = sl.solve(domain="2048:goal=16", heuristic="{plugin}:h:prefer=high", engine=engine)
        print(result.actions, result.expanded)
    """
    said = []
    for weight in (1, -1):
        helpers.write_text(f"WEIGHT = {weight}\ndef weigh(x):\n    return WEIGHT * x\n")
        compiled, readable = run(cache, source).splitlines()
        assert compiled == readable
        said.append(compiled)
    assert said[0] != said[1]


def key_of(path):
    return path.name.removesuffix(MACHINE_CODE).rpartition("-")[2]


def flipped(content, place):
    """Return some bytes with one bit turned round."""
    changed = bytearray(content)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


@pytest.mark.slow
def test_damaged_files_are_rejected_compiled_again_and_replaced(filled, tmp_path):
    """Wherever a bit is flipped, in the magic number, the digest or the code; cut, lengthened, swapped or foreign."""
    cache, first = filled
    files = [path for path in sorted(cache.iterdir()) if path.name.endswith(MACHINE_CODE)]
    whole = {path: path.read_bytes() for path in files}
    random = Random(7)
    damaged = tmp_path / "damaged"
    for path, content in whole.items():
        assert machine_code._payload(path, key_of(path)) == content[HEADER_SIZE:]
        places = [*range(0, 8 * HEADER_SIZE, 7), *(random.randrange(8 * len(content)) for _ in range(40))]
        bad = [flipped(content, place) for place in places]
        bad += [content[: random.randrange(len(content))] for _ in range(20)]
        bad += [content + b"\0", content[HEADER_SIZE:], b"", *(other for other in whole.values() if other != content)]
        for changed in bad:
            damaged.write_bytes(changed)
            assert machine_code._load(damaged, key_of(path)) is None
        damaged.write_bytes(content)
        damaged.chmod(0o666)  # others can write it, though they could not write the folder
        assert machine_code._load(damaged, key_of(path)) is None
        damaged.chmod(0o600)
    largest = max(map(len, whole.values()))  # kernels stay whole: compiling them anew takes seconds
    files = [path for path in files if len(whole[path]) < largest / 2]
    assert len(files) > 2
    for path, other in zip(files, [*files[1:], files[0]], strict=True):
        content = whole[path]
        path.write_bytes(random.choice([flipped(content, random.randrange(8 * len(content))), whole[other]]))
    files[0].unlink()
    files[0].mkdir()
    assert run(cache, SMALL.format(heuristic="empty")) == first
    assert all(machine_code._payload(path, key_of(path)) is not None for path in files[1:])
    assert [name for name in listing(cache) if name.endswith(MACHINE_CODE)] == sorted(path.name for path in whole)


TINY = """
from searchlab.compiler.arrays import Arrays, Pointer, array
from searchlab.compiler.functions import compile_kernel
class Unused(Arrays):
    numbers: Pointer = array("i8", 1)
def double(s, x):
    return 2 * x
print(compile_kernel(double, Unused)(0, 21))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_folder_writable_by_others_is_not_used(cache):
    """Machine code is run as it is found, so a folder that others can write is left alone, with one line."""
    cache.mkdir()
    cache.chmod(0o777)
    said = run(cache, TINY)
    assert said.startswith("42\n")
    assert said.count("compiled code is not kept") == 1
    assert listing(cache) == []


class Unused(Arrays):
    numbers: Pointer = array("i8", 1)


def tripled(s, x):
    return 3 * x


def test_a_folder_that_cannot_be_written_is_read(cache, monkeypatch):
    """One line says so only where there is something to keep."""

    def compiled(*, is_writable):
        monkeypatch.setattr(machine_code, "_in_memory", {})
        folder = cache_folder_at(cache)._replace(is_writable=is_writable)
        monkeypatch.setattr(machine_code, "cache_folder", lambda: folder)
        return compile_kernel(tripled, Unused)(0, 7)

    machine_code._warn_that_nothing_is_kept.cache_clear()
    with pytest.warns(SearchlabWarning, match="compiled code is not kept"):
        assert compiled(is_writable=False) == 21
    assert listing(cache) == []
    machine_code._warn_that_nothing_is_kept.cache_clear()
    assert [compiled(is_writable=True), compiled(is_writable=False)] == [21, 21]


def test_the_least_recently_used_files_make_room(cache, monkeypatch):
    """The folder keeps a bounded number of bytes, for functions of any name; other files stay."""
    cache.mkdir()
    monkeypatch.setattr(machine_code, "LARGEST_CACHE", 1000)
    (cache / "notes.txt").write_bytes(bytes(5000))
    for age in range(10):
        file = cache / f"h-{age}{MACHINE_CODE}"
        file.write_bytes(bytes(100))
        os.utime(file, (10_000 - age, 10_000 - age))
    machine_code._make_room(cache)
    assert len(listing(cache)) == 11
    (cache / f"h-new{MACHINE_CODE}").write_bytes(bytes(1))
    machine_code._make_room(cache)
    assert listing(cache) == sorted(
        [*(f"h-{age}{MACHINE_CODE}" for age in range(7)), f"h-new{MACHINE_CODE}", "notes.txt"]
    )


def test_unfinished_files_of_killed_processes_are_removed(cache):
    """They are removed when the next function is stored; files of running processes stay."""
    cache.mkdir()
    for name, age in (("tmpkilled", 7200), ("tmpwritten", 10), ("notes.txt", 7200)):
        (cache / name).write_bytes(bytes(100))
        os.utime(cache / name, (time.time() - age,) * 2)
    (cache / "tmpfolder").mkdir()
    os.utime(cache / "tmpfolder", (0, 0))
    machine_code._make_room(cache)
    assert sorted(path.name for path in cache.iterdir()) == ["notes.txt", "tmpfolder", "tmpwritten"]


class CtrlC(event.Listener):
    """Presses Ctrl-C when the second pass of the compiler begins, and counts the passes."""

    passes = 0

    def on_start(self, event):
        self.passes += 1
        if self.passes == 2:
            signal.raise_signal(signal.SIGINT)

    def on_end(self, event):
        pass


def test_ctrl_c_ends_compilation_at_the_next_pass_and_a_second_try_compiles():
    before = signal.getsignal(signal.SIGINT)

    never_compiled_before = time.time_ns() % 10**9

    def h(tiles):
        return tiles[0, 0] * 3 + never_compiled_before

    with event.install_listener("numba:run_pass", CtrlC()) as pressed, pytest.raises(KeyboardInterrupt):
        sl.solve(domain="2048:goal=16", heuristic=h)
    assert pressed.passes < 5
    assert signal.getsignal(signal.SIGINT) is before
    assert sl.solve(domain="2048:goal=16", heuristic=h).status == "solved"
