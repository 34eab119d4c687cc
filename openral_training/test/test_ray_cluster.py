"""Work on a cluster, with a cluster that computes at once, and with Ray itself where it is installed."""

import sys
from collections.abc import Iterator

import pytest

from openral_testing.instant_ray import InstantRay, RayError
from openral_training.ray_cluster import ClusterUnavailable, NoRay, results_of_cluster


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[InstantRay]:
    made = InstantRay()
    monkeypatch.setitem(sys.modules, "ray", made)
    yield made
    assert not made.is_open


def square(number: int) -> int:
    return number * number


def one_version() -> str:
    return "this code"


def test_every_task_has_its_result_and_few_are_queued(cluster: InstantRay) -> None:
    done = dict(results_of_cluster("auto", range(20), square, one_version, pending=4))
    assert done == {number: number * number for number in range(20)}
    assert cluster.most_pending == 4


def test_without_ray_the_way_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NoRay, match=r"pip install -r requirements/cluster.txt"):
        list(results_of_cluster("auto", [1], square, one_version))


def test_an_unreachable_cluster_is_named(cluster: InstantRay) -> None:
    def init(**_: object) -> None:
        raise ConnectionError("no head there")

    cluster.init = init
    with pytest.raises(ClusterUnavailable, match=r"--cluster 10.0.0.1:6379: no head there"):
        list(results_of_cluster("10.0.0.1:6379", [1], square, one_version))


@pytest.mark.usefixtures("cluster")
def test_a_node_with_other_code_is_refused() -> None:
    versions = iter(["here", "there"])
    with pytest.raises(ClusterUnavailable, match=r"a node has there, this machine has here"):
        list(results_of_cluster("auto", [1], square, lambda: next(versions)))


@pytest.mark.usefixtures("cluster")
def test_a_task_that_raises_ends_the_work_with_its_error() -> None:
    def broken(_: int) -> int:
        raise RayError("the task broke")

    with pytest.raises(ClusterUnavailable, match="the task broke"):
        list(results_of_cluster("auto", [1], broken, one_version))
