"""Work on a Ray cluster: its nodes do tasks, this machine keeps their results.

Nodes need the packages of the work, their dependencies and Ray, but no folder in common.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from openral_core.errors import OpenRALError

T = TypeVar("T")
R = TypeVar("R")


class NoRay(OpenRALError):
    """Ray is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "--cluster needs Ray, which is not installed: pip install -r requirements/cluster.txt, "
            "here and on every node"
        )


class ClusterUnavailable(OpenRALError):
    """A cluster that cannot be reached, or has other code than this machine."""

    def __init__(self, address: str, problem: object) -> None:
        super().__init__(f"--cluster {address}: {problem}")


def results_of_cluster(
    address: str,
    tasks: Iterable[T],
    work: Callable[[T], R],
    version: Callable[[], object],
    *,
    pending: int = 64,
    per_process: int = 0,
) -> Iterator[tuple[T, R]]:
    """Do tasks on the nodes of a cluster, one per core at a time; yield each with its result as it ends.

    Args:
        address: Address of its head, such as ``10.0.0.1:6379``; ``auto`` is the one that runs here.
        tasks: Arguments of the work, which can be pickled.
        work: Function of a module that the nodes have.
        version: Returns the version of the code that decides the result.
        pending: Tasks that are queued at a time [1], which bounds what ended ones take of the object store.
        per_process: Tasks after which a fresh process gives memory back [1]; 0: never.

    Raises:
        NoRay: If Ray is not installed here.
        ClusterUnavailable: If the cluster cannot be reached, or a node has another version.
    """
    try:
        import ray
    except ImportError as error:
        raise NoRay from error
    queue, expected = list(tasks), version()
    running = dict[object, T]()
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
        remote = ray.remote(num_cpus=1, max_calls=per_process)(_checked)
        while queue or running:
            while queue and len(running) < pending:
                task = queue.pop(0)
                running[remote.remote(work, version, expected, task)] = task
            (finished,), _ = ray.wait(list(running))
            result, problem = ray.get(finished)
            if problem:
                raise ClusterUnavailable(address, problem)
            yield running.pop(finished), result
    except (ConnectionError, ray.exceptions.RayError) as error:
        raise ClusterUnavailable(address, error) from error
    finally:
        ray.shutdown()


def _checked(
    work: Callable[[T], R], version: Callable[[], object], expected: object, task: T
) -> tuple[R | None, str]:
    """Do a task on a node; return its result, or the problem if the node has other code."""
    own = version()
    return (work(task), "") if own == expected else (None, f"a node has {own}, this machine has {expected}")
