"""Rendering of many homes by several processes, with progress; killed, it resumes where it was."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_training.data.dataset import Dataset, HomeTask, render_task

Work = Callable[[Sequence[HomeTask]], Iterator[tuple[HomeTask, int]]]
"""Renders homes in any order, yielding each with the number of its images once it is finished."""
HOMES_PER_PROCESS = 20
"""Homes that a process renders before a new one takes its place [1], which gives its memory back."""


class RenderingStopped(OpenRALError):
    """Rendering ended before all homes were finished."""

    def __init__(self, folder: Path, finished: int, total: int, cause: BaseException) -> None:
        super().__init__(
            f"rendering into {folder} stopped after {finished} of {total} homes "
            f"({type(cause).__name__}: {cause}); what is finished is kept: repeat the command to resume"
        )


def render(dataset: Dataset, work: Work, on_home: Callable[[HomeTask, int], None]) -> None:
    """Render every home that is not finished yet, then write the COCO file of every split.

    Args:
        dataset: What to render.
        work: Renders the homes.
        on_home: Called with every finished home and the number of its images.

    Raises:
        OtherSettings: If the folder holds a data set of other settings.
        RenderingStopped: If the disk is full or a process was killed.
    """
    tasks, finished = dataset.tasks(), 0
    try:
        dataset.begin()
        for task, images in work(tasks):
            finished += 1
            on_home(task, images)
        for name in dataset.names:
            dataset.finish(name)
    except (OSError, BrokenProcessPool) as error:
        raise RenderingStopped(dataset.folder, finished, len(tasks), error) from error


def in_processes(count: int) -> Work:
    """Render with a number of processes; one renders in this process."""
    return _one_by_one if count == 1 else lambda tasks: _in_pool(tasks, count)


def _one_by_one(tasks: Sequence[HomeTask]) -> Iterator[tuple[HomeTask, int]]:
    for task in tasks:
        yield task, render_task(task)


def _in_pool(tasks: Sequence[HomeTask], count: int) -> Iterator[tuple[HomeTask, int]]:
    yield from _one_by_one([task for task in tasks if task.part.exists()])
    pending = [task for task in tasks if not task.part.exists()]
    # Fresh processes give memory back. `max_tasks_per_child` can leave a pool of Python 3.11 without any.
    for first in range(0, len(pending), count * HOMES_PER_PROCESS):
        yield from _in_fresh_pool(pending[first : first + count * HOMES_PER_PROCESS], count)


def _in_fresh_pool(tasks: Sequence[HomeTask], count: int) -> Iterator[tuple[HomeTask, int]]:
    # An OpenGL context does not survive a fork.
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            futures = {pool.submit(render_task, task): task for task in tasks}
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
