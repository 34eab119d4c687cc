"""OmDet-Turbo with the 266 indoor classes, full size, random weights: a look with and without cached texts.

LOOKS=n in the environment, else 6; several minutes on a CPU.
"""

import json
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from benchmarks.torch_environments import NAME, ROOT, SKIPPED, in_environment
from openral_perception_ros.detector import load_detector

LONG = True
INDOOR = "omdet-turbo-indoor"
Row = dict[str, object]


def run() -> list[Row]:
    """One row per way, or the reason why there is none."""
    if SKIPPED:
        return [{"skipped": SKIPPED}]
    with TemporaryDirectory() as base:
        folder, words = indoor(Path(base))
        in_environment(
            "benchmarks.torch.full_checkpoints", "omdet_turbo", str(folder / "weights"), words=words
        )
        looks = os.environ.get("LOOKS", "6")
        reported = in_environment("benchmarks.torch.phrase_times", str(folder), looks).splitlines()[-1]
    times = json.loads(reported)
    return [
        {"texts": way, "seconds_per_look": round(item, 3), "times_cached": round(item / times["cached"], 2)}
        for way, item in times.items()
    ]


def indoor(base: Path) -> tuple[Path, list[str]]:
    """The shipped rSkill with weights beside it, and every word of its vocabulary."""
    folder = base / INDOOR
    shutil.copytree(ROOT / "rskills" / INDOOR, folder)
    content = yaml.safe_load((folder / "rskill.yaml").read_text())
    content |= {"weights": {"uri": "file://weights"}, "environment": {"name": NAME}}
    (folder / "rskill.yaml").write_text(yaml.safe_dump(content))
    labels = load_detector(str(folder), [], ("head",), is_default=False).labels
    return folder, [word for label in labels for word in label.split()]
