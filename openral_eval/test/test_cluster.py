"""Trials on a cluster, with a cluster that computes at once, and with Ray itself where it is installed."""

import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from openral_eval import cluster
from openral_eval.brains import BrainSpec
from openral_eval.cluster import ClusterUnavailable, NoRay, on_cluster
from openral_eval.runner import in_processes
from openral_eval.suites.registry import tasks_of
from openral_eval.tasks import SuiteOptions, TrialRecord
from openral_eval.trials import Trial

OPTIONS = SuiteOptions(limit=4)
TRIALS = [Trial(task, 0, BrainSpec(), OPTIONS) for task in tasks_of(["search"], OPTIONS)]


class RayError(Exception):
    pass


def cluster_that(init: Callable[..., None]) -> SimpleNamespace:
    """A module as Ray's whose futures are results, finished last come first."""
    return SimpleNamespace(
        init=init,
        remote=lambda **_: lambda function: SimpleNamespace(remote=lambda *given: [function(*given)]),
        wait=lambda pending: (pending[-1:], pending[:-1]),
        get=lambda done: done[0],
        shutdown=lambda: None,
        exceptions=SimpleNamespace(RayError=RayError),
    )


def reached(**_: object) -> None:
    pass


def untimed(records: list[TrialRecord]) -> list[TrialRecord]:
    ordered = sorted(records, key=lambda each: each.key)
    return [each.model_copy(update={"latencies": (), "wall": 0.0}) for each in ordered]


def test_without_ray_the_way_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NoRay, match=r"pip install -r requirements/cluster.txt"):
        list(on_cluster("auto")(TRIALS))


def test_an_unreachable_cluster_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**_: object) -> None:
        raise ConnectionError("no head there")

    monkeypatch.setitem(sys.modules, "ray", cluster_that(init))
    with pytest.raises(ClusterUnavailable, match=r"--cluster 10.0.0.1:6379: no head there"):
        list(on_cluster("10.0.0.1:6379")(TRIALS))


def test_a_cluster_gives_the_same_records_as_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", cluster_that(reached))
    found = list(on_cluster("auto")(TRIALS))
    assert untimed(found) == untimed(list(in_processes(1)(TRIALS)))


def test_a_node_with_other_code_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = iter(["here", "there", "there", "there", "there"])
    monkeypatch.setitem(sys.modules, "ray", cluster_that(reached))
    monkeypatch.setattr(cluster, "code_hash", lambda: next(hashes))
    with pytest.raises(ClusterUnavailable, match=r"a node has the code there, this machine has here"):
        list(on_cluster("auto")(TRIALS))


@pytest.mark.timeout(300)
def test_two_nodes_of_ray_give_the_same_records_as_one_process() -> None:
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        nodes.add_node(num_cpus=1)
        found = list(on_cluster(nodes.address)(TRIALS))
    finally:
        nodes.shutdown()
    assert untimed(found) == untimed(list(in_processes(1)(TRIALS)))
