"""How long a killed locator stays in the palette, and how long until it is back. ROUNDS=n, else 5."""

import os
import signal
import sys
import tempfile
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from graph.deployments import Deployment
from graph.listeners import PaletteListener

LONG = True
LOCATOR, SLUG, ACTIVE = "sim-groundtruth-locator", "sim_groundtruth_locator.yaml", 3


def run() -> list[dict[str, object]]:
    """One row per kill -9 of the node [s]."""
    domain = int(os.environ.get("ROS_DOMAIN_ID", "0"))
    with tempfile.TemporaryDirectory() as folder:
        deployment, listener = Deployment(Path(folder)), PaletteListener(domain)
        with deployment, listener as heard:
            heard.seconds_until(lambda: heard.locators().get(LOCATOR) == ACTIVE, 120.0)
            rounds = int(os.environ.get("ROUNDS", "5"))
            return [_round(deployment, heard, index) for index in range(rounds)]


def _round(deployment: Deployment, heard: PaletteListener, index: int) -> dict[str, object]:
    (worker,) = deployment.pids("workers.main", SLUG)
    node = psutil.Process(worker).parent()
    assert node is not None
    node.send_signal(signal.SIGKILL)
    out = heard.seconds_until(lambda: LOCATOR not in heard.locators(), 60.0)
    back = heard.seconds_until(lambda: heard.locators().get(LOCATOR) == ACTIVE, 120.0)
    return {"round": index, "out_s": round(out, 2), "back_after_out_s": round(back, 2)}
