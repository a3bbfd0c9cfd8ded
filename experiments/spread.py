"""One function over many tasks, such as deals: on processes of this machine or on a Ray cluster."""

from __future__ import annotations

import itertools
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, TypeVar

from experiments.cluster import cluster

Task = TypeVar("Task")
Result = TypeVar("Result")

RETRIES = 20
"""How often Ray does a task again whose worker or node was lost."""

_WAITING = 4  # tasks handed over for each core, so that none waits for work and none hoards it


def spread(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    processes: int = 1,
    ray: str | None = None,
    at_once: int = 1,
) -> Iterator[Result]:
    """Calls a function for each task and gives the results as they come, in any order, one a task.

    Args:
        function: What is to be done; a function of a module, without side effects that must not happen twice: a task
            whose worker is lost is done again.
        tasks: What it is called with; picklable.
        processes: Without ``ray``: processes of this machine.
        ray: ``"local"`` or the address of a Ray cluster; None does without Ray.
        at_once: Tasks that Ray is handed together. One such parcel should take a second or more, against the
            milliseconds that handing it over takes.

    Raises:
        ValueError: Ray is asked for and not installed.
        ConnectionError: There is no Ray at the address.
        ChildProcessError: A process of this machine was killed. What had come until then has been given out.
    """
    if ray is None:
        yield from _on_processes(function, tasks, processes)
        return
    parcels = [list(tasks[i : i + at_once]) for i in range(0, len(tasks), at_once)]
    with cluster(ray, processes):
        yield from _on_ray(function, parcels)


def _on_processes(function: Callable[[Task], Result], tasks: Iterable[Task], processes: int) -> Iterator[Result]:
    waiting = iter(tasks)
    with process_pool(processes) as pool:
        running: set[Future[Result]] = set()
        while True:
            for task in itertools.islice(waiting, _WAITING * processes - len(running)):
                running.add(pool.submit(function, task))
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()


@contextmanager
def process_pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Gives processes of this machine; what waits for them at the end is dropped.

    Raises:
        ChildProcessError: One of them was killed.
    """
    pool = ProcessPoolExecutor(processes, mp_context=_Spawned(), initializer=_leave_ctrl_c_to_the_command)
    try:
        yield pool
    except BrokenProcessPool as error:
        raise ChildProcessError("a process was killed, by hand or for want of memory; what is done is kept") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_ctrl_c_to_the_command() -> None:
    """Ctrl-C reaches every process of a terminal, and it is for the command to end the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Process(SpawnProcess):
    """A process that does not hear Ctrl-C while it starts either: a second of imports, before it can ask for that."""

    def start(self) -> None:
        if not hasattr(signal, "pthread_sigmask"):  # Windows, where nothing of the kind is handed on
            super().start()
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # inherited; a signal to us waits
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Spawned(SpawnContext):
    """Fresh processes: what a parent has open is none of theirs."""

    Process = _Process


def _on_ray(function: Callable[[Any], Result], parcels: Iterable[list[Any]]) -> Iterator[Result]:
    import ray

    remote = ray.remote(num_cpus=1, max_retries=RETRIES)(_do)
    shared = ray.put(function)
    running: list[Any] = []
    waiting = iter(parcels)
    while True:
        room = _WAITING * max(1, int(ray.cluster_resources().get("CPU", 1)))  # nodes may come and go
        running += [remote.remote(shared, p) for p in itertools.islice(waiting, max(0, room - len(running)))]
        if not running:
            return
        ended, running = ray.wait(running)
        for results in ray.get(ended):
            yield from results


def _do(function: Callable[[Any], Any], tasks: list[Any]) -> list[Any]:
    return [function(task) for task in tasks]
