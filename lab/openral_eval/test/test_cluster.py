"""Trials on a cluster, with a cluster that computes at once, and with Ray itself where it is installed."""

import sys

import pytest

from openral_eval.brains import BrainSpec
from openral_eval.cluster import on_cluster
from openral_eval.runner import in_processes
from openral_eval.suites.registry import tasks_of
from openral_eval.suites.tasks import SuiteOptions, TrialRecord
from openral_eval.trials import Trial
from openral_testing.instant_ray import InstantRay

OPTIONS = SuiteOptions(limit=4)
TRIALS = [Trial(task, 0, BrainSpec(), OPTIONS) for task in tasks_of(["search"], OPTIONS)]


def untimed(records: list[TrialRecord]) -> list[TrialRecord]:
    ordered = sorted(records, key=lambda each: each.key)
    return [each.model_copy(update={"latencies": (), "wall": 0.0}) for each in ordered]


def test_a_cluster_gives_the_same_records_as_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", InstantRay())
    found = list(on_cluster("auto")(TRIALS))
    assert untimed(found) == untimed(list(in_processes(1)(TRIALS)))


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
