"""Rendering on a cluster, with a cluster that computes at once."""

import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from openral_data import cluster
from openral_data.cluster import ClusterUnavailable, NoRay, on_cluster
from openral_data.dataset import Dataset, HomeTask
from openral_data.jobs import render


class RayError(Exception):
    pass


def cluster_that(init: Callable[..., None]) -> SimpleNamespace:
    """A module as Ray's whose futures are results, finished last come first."""
    return SimpleNamespace(
        init=init,
        remote=lambda **_: lambda function: SimpleNamespace(remote=lambda *given: _Done(function(*given))),
        wait=lambda pending: (pending[-1:], pending[:-1]),
        get=lambda done: done.result,
        shutdown=lambda: None,
        exceptions=SimpleNamespace(RayError=RayError),
    )


class _Done:
    def __init__(self, result: object) -> None:
        self.result = result


def reached(**_: object) -> None:
    pass


def silent(_: HomeTask, __: int) -> None:
    pass


def test_without_ray_the_way_to_install_it_is_told(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NoRay, match=r"pip install -r requirements/cluster.txt"):
        render(dataset, on_cluster("auto"), silent)


def test_an_unreachable_cluster_is_named(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**_: object) -> None:
        raise ConnectionError("no head there")

    monkeypatch.setitem(sys.modules, "ray", cluster_that(init))
    with pytest.raises(ClusterUnavailable, match=r"--cluster 10.0.0.1:6379: no head there"):
        render(dataset, on_cluster("10.0.0.1:6379"), silent)


def test_files_that_nodes_return_are_written_and_finished_homes_are_not_rendered_again(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[int] = []

    def render_files(task: HomeTask) -> dict[str, bytes]:
        rendered.append(task.seed)
        return {"images/000001.jpg": b"jpeg", f"parts/{task.seed}.json": b'{"images": [], "annotations": []}'}

    monkeypatch.setitem(sys.modules, "ray", cluster_that(reached))
    monkeypatch.setattr(cluster, "render_files", render_files)
    render(dataset, on_cluster("auto"), silent)
    seeds = list(dataset.plan.splits["train"].seeds)
    assert sorted(rendered) == seeds
    assert (dataset.folder / "train" / "images" / "000001.jpg").read_bytes() == b"jpeg"
    dataset.tasks()[0].part.unlink()
    render(dataset, on_cluster("auto"), silent)
    assert sorted(rendered) == sorted([*seeds, seeds[0]])


def test_a_node_with_other_sources_is_refused(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = iter([{"code": "here"}, {"code": "there"}, {"code": "there"}])
    monkeypatch.setitem(sys.modules, "ray", cluster_that(reached))
    monkeypatch.setattr(cluster, "code_version", lambda: next(versions))
    with pytest.raises(ClusterUnavailable, match=r"a node has .*there.*, this machine has .*here"):
        render(dataset, on_cluster("auto"), silent)
