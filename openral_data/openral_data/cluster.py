"""Rendering on a Ray cluster: its nodes render homes, this machine writes their files.

Nodes need this package, its dependencies and Ray, but no folder in common.
"""

from collections.abc import Iterator, Sequence

from openral_core.errors import OpenRALError
from openral_data.dataset import HomeTask, code_version, count_images, render_files, write_files
from openral_data.jobs import HOMES_PER_PROCESS, Work

MAX_PENDING = 64
"""Homes that are queued at a time [1], which bounds what finished ones take of the object store."""


class NoRay(OpenRALError):
    """Ray is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "--cluster needs Ray, which is not installed: pip install -r requirements/cluster.txt, "
            "here and on every node"
        )


class ClusterUnavailable(OpenRALError):
    """A cluster that cannot be reached, or does not render what this machine would."""

    def __init__(self, address: str, problem: object) -> None:
        super().__init__(f"--cluster {address}: {problem}")


def on_cluster(address: str) -> Work:
    """Render on the nodes of a cluster, one home per core at a time.

    Args:
        address: Address of its head, such as ``10.0.0.1:6379``; ``auto`` is the one that runs here.
    """
    return lambda tasks: _on_cluster(address, tasks)


def _render(task: HomeTask, wanted: dict[str, object]) -> dict[str, bytes] | str:
    """Render on a node; return the problem if the node has other code."""
    found = code_version()
    return render_files(task) if found == wanted else f"a node has {found}, this machine has {wanted}"


def _on_cluster(address: str, tasks: Sequence[HomeTask]) -> Iterator[tuple[HomeTask, int]]:
    try:
        import ray
    except ImportError as error:
        raise NoRay from error
    yield from ((task, count_images(task)) for task in tasks if task.part.exists())
    left = [task for task in tasks if not task.part.exists()]
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
        # Fresh processes give memory back.
        render = ray.remote(num_cpus=1, max_calls=HOMES_PER_PROCESS)(_render)
        pending, version = dict[object, HomeTask](), code_version()
        while left or pending:
            while left and len(pending) < MAX_PENDING:
                task = left.pop(0)
                pending[render.remote(task, version)] = task
            (done,), _ = ray.wait(list(pending))
            task, rendered = pending.pop(done), ray.get(done)
            if isinstance(rendered, str):
                raise ClusterUnavailable(address, rendered)
            write_files(task, rendered)
            yield task, count_images(task)
    except (ConnectionError, ray.exceptions.RayError) as error:
        raise ClusterUnavailable(address, error) from error
    finally:
        ray.shutdown()
