"""Where runs are carried out: threads, processes or a Dask cluster, all behind one interface of the standard."""

import multiprocessing
import multiprocessing.process
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from enum import Enum
from typing import Any

from softdock.errors import InputError, Problem


class Place(Enum):
    """Where runs are carried out."""

    THREADS = "threads"
    PROCESSES = "processes"
    CLUSTER = "cluster"


MOST_WORKERS = 1024
MANY = 5000  # runs; fewer cheap ones are done before processes have started


def default_place(kind: str, runs: int) -> Place:
    """Return where runs of a kind of scenario are done soonest.

    Kernels leave the interpreter's lock, so threads keep all cores busy. But a chain is solved in less time
    than Python takes around it, and its threads wait for each other: many of those go to processes.
    """
    return Place.PROCESSES if kind == "chain" and runs > MANY else Place.THREADS


def default_workers() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None) -> None:
    """Refuse a number of workers that cannot be."""
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        message = f"Must be between 1 and {MOST_WORKERS}."
        raise InputError(Problem(message=message, field="--workers", given=str(workers)))


@contextmanager
def executor(place: Place, workers: int, address: str = "") -> Iterator[tuple[Executor, int]]:
    """Open the workers; yield what takes their work and how many there are."""
    if place is Place.CLUSTER:
        with _cluster(address) as opened:
            yield opened
        return
    pool: Executor
    if place is Place.THREADS:
        pool = ThreadPoolExecutor(workers, thread_name_prefix="softdock-run")
    else:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_in_worker)
    try:
        yield pool, workers
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_worker() -> None:
    """Leave Ctrl-C to the parent, and end when the parent has ended, however it did."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        import distributed
    except ImportError:
        hint = "Install it with: pip install 'softdock[cluster]'."
        raise InputError(Problem(message="A cluster needs the package distributed.", hint=hint)) from None
    try:
        make_client: Any = distributed.Client
        client = make_client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = " ".join(str(error).split())[:200]
        message = f"The Dask scheduler cannot be reached: {reason}."
        raise InputError(Problem(message=message, field="--cluster", given=address)) from None
    try:
        workers = sum(client.nthreads().values())
        if not workers:
            message = "The cluster has no workers yet; start some and try again."
            raise InputError(Problem(message=message, field="--cluster", given=address))
        yield client.get_executor(pure=False, retries=2), workers
    finally:
        client.close()
