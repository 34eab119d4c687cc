"""Writer of a LeRobot data set; a process of its own, in the environment that has `lerobot`.

Usage: python lerobot_writer.py EPISODES FOLDER, with the file of episodes of `openral export lerobot`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from lerobot.datasets.lerobot_dataset import LeRobotDataset

IMAGE = "observation.images."


def features(content: dict[str, Any]) -> dict[str, object]:
    """Return the features of a data set in the terms of LeRobot."""
    numbers = {
        name: {"dtype": "float32", "shape": (len(parts),), "names": parts}
        for name, parts in content["names"].items()
    }
    cameras = {
        IMAGE + camera: {"dtype": "video", "shape": tuple(shape), "names": ["height", "width", "channels"]}
        for camera, shape in content["cameras"].items()
    }
    return {**numbers, **cameras}


def main(file: Path, folder: Path) -> None:
    """Write every episode, then the index of the data set."""
    content = json.loads(file.read_text(encoding="utf-8"))
    dataset = LeRobotDataset.create(
        content["name"], content["fps"], features(content), root=folder, robot_type=content["robot"]
    )
    for episode in content["episodes"]:
        for frame in episode["frames"]:
            numbers = {name: np.asarray(frame[name], np.float32) for name in content["names"]}
            images = {
                IMAGE + camera: cv2.cvtColor(cv2.imread(str(file.parent / path)), cv2.COLOR_BGR2RGB)
                for camera, path in frame["images"].items()
            }
            dataset.add_frame({**numbers, **images, "task": episode["task"]})
        dataset.save_episode()
    dataset.finalize()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
