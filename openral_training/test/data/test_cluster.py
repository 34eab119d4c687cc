"""Rendering on a cluster, with a cluster that computes at once."""

import sys

import pytest

from openral_testing.instant_ray import InstantRay
from openral_training.data import cluster
from openral_training.data.cluster import on_cluster
from openral_training.data.dataset import Dataset, HomeTask
from openral_training.data.jobs import render


def silent(_: HomeTask, __: int) -> None:
    pass


def test_files_that_nodes_return_are_written_and_finished_homes_are_not_rendered_again(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[int] = []

    def render_files(task: HomeTask) -> dict[str, bytes]:
        rendered.append(task.seed)
        return {"images/000001.jpg": b"jpeg", f"parts/{task.seed}.json": b'{"images": [], "annotations": []}'}

    monkeypatch.setitem(sys.modules, "ray", InstantRay())
    monkeypatch.setattr(cluster, "render_files", render_files)
    render(dataset, on_cluster("auto"), silent)
    seeds = list(dataset.plan.splits["train"].seeds)
    assert sorted(rendered) == seeds
    assert (dataset.folder / "train" / "images" / "000001.jpg").read_bytes() == b"jpeg"
    dataset.tasks()[0].part.unlink()
    render(dataset, on_cluster("auto"), silent)
    assert sorted(rendered) == sorted([*seeds, seeds[0]])
