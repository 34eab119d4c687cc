"""Data sets on disk: resumed, the same with any number of processes, refused if they are something else."""

import errno
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from openral_training.data import dataset as dataset_module
from openral_training.data.dataset import (
    Dataset,
    HomeTask,
    NotADataset,
    OtherSettings,
    annotated_images,
    render_task,
)
from openral_training.data.home_renderer import RenderSettings
from openral_training.data.jobs import RenderingStopped, in_processes, render


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def silent(_: HomeTask, __: int) -> None:
    pass


@pytest.mark.slow
def test_a_killed_rendering_resumes_to_the_same_bytes_as_several_processes_write(
    dataset: Dataset, tmp_path: Path
) -> None:
    def killed(tasks: Sequence[HomeTask]) -> Iterator[tuple[HomeTask, int]]:
        yield tasks[0], render_task(tasks[0])
        (tasks[1].folder / "images" / "000003.jpg").write_bytes(b"half an im")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        render(dataset, killed, silent)
    assert not (dataset.folder / "train" / "annotations.json").exists()
    finished = (dataset.folder / "train" / "images" / "000001.jpg").stat()
    render(dataset, in_processes(1), silent)
    assert (dataset.folder / "train" / "images" / "000001.jpg").stat() == finished
    other = Dataset(tmp_path / "other", dataset.plan, dataset.names, dataset.settings)
    render(other, in_processes(2), silent)
    assert files(dataset.folder) == files(other.folder)

    path = other.folder / "train" / "annotations.json"
    content = json.loads(path.read_text())
    assert [image["id"] for image in content["images"]] == [1, 2, 3, 4]
    numbers = [annotation["id"] for annotation in content["annotations"]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert content["info"]["seeds"] == [
        dataset.plan.splits["train"].seeds[0],
        dataset.plan.splits["train"].seeds[-1],
    ]
    assert len(list(annotated_images(path))) == 4
    depth = cv2.imread(str(other.folder / "train" / "depth" / "000001.png"), cv2.IMREAD_UNCHANGED)
    assert (depth.dtype, depth.shape) == (np.uint16, (120, 160))
    assert 50 < np.median(depth) < 10_000


def test_a_full_disk_stops_rendering_and_says_how_to_go_on(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(dataset_module, "write_files", full)
    with pytest.raises(RenderingStopped, match=r"0 of 2 homes .*No space left.*repeat the command"):
        render(dataset, in_processes(1), silent)
    assert not list(dataset.folder.glob("train/parts/*"))


def test_a_data_set_of_other_settings_is_not_continued(dataset: Dataset) -> None:
    dataset.begin()
    other = Dataset(dataset.folder, dataset.plan, dataset.names, RenderSettings(width=320))
    with pytest.raises(OtherSettings, match=r"width: 160 there, 320 asked for"):
        other.begin()


@pytest.mark.parametrize("content", ["[]", "{", '{"images": []}', '{"categories": [], "annotations": 3}'])
def test_what_is_no_coco_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(content)
    with pytest.raises(NotADataset, match="COCO"):
        list(annotated_images(path))
