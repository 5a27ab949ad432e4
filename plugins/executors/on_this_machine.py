"""On this machine: a thread for each worker process, which waits for it."""

from concurrent.futures import Executor, ThreadPoolExecutor


def threads(workers: int) -> Executor:
    """Return as many threads as runs are to be done at once."""
    return ThreadPoolExecutor(workers, thread_name_prefix="searchlab")
