"""Rendering on a Ray cluster of two nodes on this machine: the bytes that one process writes, and the time.

Needs requirements/cluster.txt. HOMES=n homes of two small images, else 4. The baseline is one process.
"""

import os
import tempfile
import time
from pathlib import Path

from openral_core.ray_cluster import NoRay
from openral_training.data.cluster import on_cluster
from openral_training.data.dataset import Dataset
from openral_training.data.home_renderer import RenderSettings
from openral_training.data.jobs import Work, in_processes, render
from openral_training.data.splits import load_plan

LONG = True
SMALL = RenderSettings(width=160, height=120, depth=True)


def run() -> list[dict[str, object]]:
    """One row for one process, one for the cluster."""
    try:
        from ray.cluster_utils import Cluster
    except ImportError as error:
        raise NoRay from error
    with tempfile.TemporaryDirectory() as folder:
        expected, alone = written(Path(folder) / "alone", in_processes(1))
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        try:
            cluster.add_node(num_cpus=1)
            found, shared = written(Path(folder) / "cluster", on_cluster(cluster.address))
        finally:
            cluster.shutdown()
    equal = sum(found.get(name) == content for name, content in expected.items())
    return [
        {"rendered by": "one process", "files": len(expected), "time [s]": round(alone, 1), "ratio": 1.0},
        {
            "rendered by": "cluster of two nodes",
            "files": len(found),
            "equal": equal,
            "time [s]": round(shared, 1),
            "ratio": round(shared / alone, 2),
        },
    ]


def written(folder: Path, work: Work) -> tuple[dict[str, bytes], float]:
    """Render, and return the files by name with the time it took [s]."""
    plan = load_plan().resized(int(os.environ.get("HOMES", "4")), 2)
    began = time.perf_counter()
    render(Dataset(folder, plan, ("test",), SMALL), work, lambda *_: None)
    taken = time.perf_counter() - began
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}, taken
