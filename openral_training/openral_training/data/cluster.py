"""Rendering on a Ray cluster: its nodes render homes, this machine writes their files."""

from collections.abc import Iterator, Sequence

from openral_training.data.dataset import HomeTask, code_version, count_images, render_files, write_files
from openral_training.data.jobs import HOMES_PER_PROCESS, Work
from openral_training.ray_cluster import results_of_cluster


def on_cluster(address: str) -> Work:
    """Render on the nodes of a cluster, one home per core at a time.

    Args:
        address: Address of its head, such as ``10.0.0.1:6379``; ``auto`` is the one that runs here.
    """
    return lambda tasks: _on_cluster(address, tasks)


def _on_cluster(address: str, tasks: Sequence[HomeTask]) -> Iterator[tuple[HomeTask, int]]:
    finished = [task for task in tasks if task.part.exists()]
    yield from ((task, count_images(task)) for task in finished)
    pending = [task for task in tasks if task not in finished]
    rendered = results_of_cluster(address, pending, render_files, code_version, per_process=HOMES_PER_PROCESS)
    for task, content in rendered:
        write_files(task, content)
        yield task, count_images(task)
