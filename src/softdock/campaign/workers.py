"""Executors of runs: threads, processes or a Dask cluster, all as `concurrent.futures.Executor`."""

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

from softdock.errors import InputError
from softdock.scenario.kinds import ScenarioKind


class Backend(Enum):
    """Kind of executor."""

    THREADS = "threads"
    PROCESSES = "processes"
    CLUSTER = "cluster"


MOST_WORKERS = 1024
MANY_RUNS = 5000  # fewer short runs finish before processes have started


def default_backend(kind: ScenarioKind, runs: int) -> Backend:
    """Return the fastest backend for a kind of scenario.

    Kernels release the global interpreter lock, so threads use all cores. Runs that spend most of their time in Python
    hold the lock, so many of them run faster in processes.
    """
    return Backend.PROCESSES if kind.holds_interpreter and runs > MANY_RUNS else Backend.THREADS


def default_workers() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None, field: str = "--workers") -> None:
    """Raise InputError for an impossible number of workers."""
    if workers is not None and not (isinstance(workers, int) and 1 <= workers <= MOST_WORKERS):
        message = f"Must be a whole number between 1 and {MOST_WORKERS}."
        raise InputError(message, field=field, given=str(workers))


@contextmanager
def open_executor(backend: Backend, workers: int, address: str = "") -> Iterator[tuple[Executor, int]]:
    """Start the workers; yield the executor and the number of workers."""
    if backend is Backend.CLUSTER:
        with _open_cluster(address) as opened:
            yield opened
        return
    pool: Executor
    if backend is Backend.THREADS:
        pool = ThreadPoolExecutor(workers, thread_name_prefix="softdock-run")
    else:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_initialise_worker)
    try:
        yield pool, workers
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _initialise_worker() -> None:
    """Ignore Ctrl-C, which the parent handles, and end when the parent ends, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def _open_cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        import distributed
    except ImportError:
        hint = "Install it with: pip install 'softdock[cluster]'."
        raise InputError("A cluster needs the package distributed.", hint=hint) from None
    try:
        make_client: Any = distributed.Client
        client = make_client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = " ".join(str(error).split())[:200]
        message = f"The Dask scheduler cannot be reached: {reason}."
        raise InputError(message, field="--cluster", given=address) from None
    try:
        workers = sum(client.nthreads().values())
        if not workers:
            message = "The cluster has no workers yet; start some and try again."
            raise InputError(message, field="--cluster", given=address)
        yield client.get_executor(pure=False, retries=2), workers
    finally:
        client.close()
