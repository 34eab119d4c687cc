"""The machine itself: interpreter, memory, GPU, ports."""

import os
import shutil
import socket
import sys
from contextlib import closing
from pathlib import Path

import psutil

from openral_bringup.checks.findings import Finding, Verdict, judged
from openral_ros.gpus import gpus

PYTHONS = ((3, 11), (3, 12))
NEEDED_MB, SHARED_MB = 3000.0, 64.0
"""What the embedded graph takes with its simulation, and its images [MB]."""
SHARED = Path("/dev/shm")
PARTICIPANTS = 16
"""Processes of one graph, with some to spare."""


def interpreter() -> Finding:
    """The Python that runs this."""
    found = ".".join(map(str, sys.version_info[:3]))
    return judged("python", found, sys.version_info[:2] in PYTHONS, "use Python 3.11 or 3.12: `make setup`")


def memory() -> Finding:
    """Free main memory."""
    free = psutil.virtual_memory().available / 1e6
    advice = f"the embedded graph takes {NEEDED_MB:.0f} MB: end other programs"
    return judged("memory", f"{free:.0f} MB free", free >= NEEDED_MB, advice)


def shared_memory() -> Finding:
    """Room for images between processes."""
    free = shutil.disk_usage(SHARED).free / 1e6 if SHARED.is_dir() else 0.0
    advice = f"give {SHARED} at least {SHARED_MB:.0f} MB; in a container: --shm-size=1g"
    return judged("shared memory", f"{free:.0f} MB free in {SHARED}", free >= SHARED_MB, advice)


def gpu() -> Finding:
    """GPUs and what is free on them."""
    found = ", ".join(f"{g.name}: {g.total - g.used:.0f} of {g.total:.0f} MB free" for g in gpus())
    advice = "learned detectors need an NVIDIA GPU with its driver; --detectors embedded runs without"
    return judged("gpu", found or "none", bool(found), advice, Verdict.LIMITED)


def ports() -> Finding:
    """UDP ports of DDS in the domain that is set."""
    domain = int(os.environ.get("ROS_DOMAIN_ID") or 0)
    first = 7410 + 250 * domain
    free = sum(_is_free(first + 2 * number) for number in range(PARTICIPANTS))
    found = f"{free} of {PARTICIPANTS} participants' free in domain {domain}"
    advice = f"another graph uses domain {domain}: choose another with --domain-id"
    return judged("ports", found, free == PARTICIPANTS, advice, Verdict.LIMITED)


def _is_free(port: int) -> bool:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as tried:
        try:
            tried.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True
