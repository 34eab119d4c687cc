"""What one check has found."""
# MERGED The machine itself: interpreter, memory, GPU, ports.
# MERGED What runs on the machine: packages, weights, and whether processes find each other.
# MERGED Whether this machine can run the graph, and what to do where it cannot.
# MERGED `openral doctor`.

import os
import shutil
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import psutil
import rclpy
import typer
from rclpy.context import Context
from rclpy.node import Node
from rich.console import Console
from rich.table import Table
from rich.text import Text
from std_msgs.msg import String

from openral_bringup.graph.options import CONTINUOUS, ON_DEMAND, DetectorSet
from openral_bringup.graph.resources import NotInstalled, executable_path, rskill_folders
from openral_core.rskills import Registry
from openral_perception_ros.weights.fetch import MISSING, REFUSED, weights_status
from openral_ros.gpu import gpus


class CheckStatus(StrEnum):
    """How bad it is."""

    GOOD = "ok"
    LIMITED = "limited"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """``advice`` says what to do unless all is well."""

    what: str
    verdict: CheckStatus
    found: str
    advice: str = ""


def check(
    what: str, found: str, good: bool, advice: str, otherwise: CheckStatus = CheckStatus.BAD
) -> Finding:
    """Good, or ``otherwise`` with the advice."""
    return Finding(what, CheckStatus.GOOD, found) if good else Finding(what, otherwise, found, advice)


def conclusion(findings: Sequence[Finding]) -> str:
    """What it comes to, in one sentence."""
    bad = [each.what for each in findings if each.verdict is CheckStatus.BAD]
    limited = [each.what for each in findings if each.verdict is CheckStatus.LIMITED]
    if bad:
        return f"The graph cannot run here yet. Mend first: {bad[0]}."
    if limited:
        return f"The graph can run here, with limits: {', '.join(limited)}."
    return "The graph can run here, with every detector."


PYTHONS = ((3, 11), (3, 12))
NEEDED_MB, SHARED_MB = 3000.0, 64.0
"""What the embedded graph takes with its simulation, and its images [MB]."""
SHARED = Path("/dev/shm")
PARTICIPANTS = 16
"""Processes of one graph, with some to spare."""


def interpreter() -> Finding:
    """The Python that runs this."""
    found = ".".join(map(str, sys.version_info[:3]))
    return check("python", found, sys.version_info[:2] in PYTHONS, "use Python 3.11 or 3.12: `make setup`")


def memory() -> Finding:
    """Free main memory."""
    free = psutil.virtual_memory().available / 1e6
    advice = f"the embedded graph takes {NEEDED_MB:.0f} MB: end other programs"
    return check("memory", f"{free:.0f} MB free", free >= NEEDED_MB, advice)


def shared_memory() -> Finding:
    """Room for images between processes."""
    free = shutil.disk_usage(SHARED).free / 1e6 if SHARED.is_dir() else 0.0
    advice = f"give {SHARED} at least {SHARED_MB:.0f} MB; in a container: --shm-size=1g"
    return check("shared memory", f"{free:.0f} MB free in {SHARED}", free >= SHARED_MB, advice)


def gpu() -> Finding:
    """GPUs and what is free on them."""
    found = ", ".join(f"{g.name}: {g.total - g.used:.0f} of {g.total:.0f} MB free" for g in gpus())
    advice = "learned detectors need an NVIDIA GPU with its driver; --detectors embedded runs without"
    return check("gpu", found or "none", bool(found), advice, CheckStatus.LIMITED)


def ports() -> Finding:
    """UDP ports of DDS in the domain that is set."""
    domain = int(os.environ.get("ROS_DOMAIN_ID") or 0)
    first = 7410 + 250 * domain
    free = sum(_is_free(first + 2 * number) for number in range(PARTICIPANTS))
    found = f"{free} of {PARTICIPANTS} participants' free in domain {domain}"
    advice = f"another graph uses domain {domain}: choose another with --domain-id"
    return check("ports", found, free == PARTICIPANTS, advice, CheckStatus.LIMITED)


def _is_free(port: int) -> bool:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as tried:
        try:
            tried.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True


NODES = (
    ("openral_sim", "sim"),
    ("openral_perception_ros", "detector"),
    ("openral_world_state", "world_state"),
    ("openral_reasoner_ros", "reasoner"),
    ("openral_bringup", "bringup"),
)
PATIENCE = 5.0
"""Longest wait for two nodes to find each other [s]."""


def packages() -> Finding:
    """The executables of every node."""
    missing = [f"{package}/{name}" for package, name in NODES if not _is_installed(package, name)]
    found = f"{os.environ.get('ROS_DISTRO', 'no ROS')}, " + (
        f"without {', '.join(missing)}" if missing else "every node is built"
    )
    return check("ros", found, not missing, "run `make build` and start with tools/env")


def weights() -> Finding:
    """Checkpoints of the detectors that a deployment takes by default."""
    registry = Registry.load(rskill_folders())
    ids = (*CONTINUOUS[DetectorSet.DEFAULT], *ON_DEMAND[DetectorSet.DEFAULT])
    rows = [weights_status(registry.detector(each), registry.folder(each), "") for each in ids]
    absent = [row.rskill for row in rows if row.state in (MISSING, REFUSED)]
    found = ", ".join(f"{row.rskill}: {row.state}" for row in rows)
    advice = f"`openral weights fetch {absent[0]}`; --detectors embedded needs none" if absent else ""
    return check("weights", found, not absent, advice, CheckStatus.LIMITED)


def discovery() -> Finding:
    """Two participants of this machine, each with a context of its own."""
    contexts = (Context(), Context())
    for context in contexts:
        rclpy.init(context=context)
    here, there = (Node(name, context=c) for name, c in zip(("here", "there"), contexts, strict=True))
    begun = time.monotonic()
    try:
        there.create_publisher(String, "openral/doctor", 1)
        while here.count_publishers("openral/doctor") == 0 and time.monotonic() - begun < PATIENCE:
            time.sleep(0.02)
        seen = here.count_publishers("openral/doctor") > 0
    finally:
        for node, context in ((here, contexts[0]), (there, contexts[1])):
            node.destroy_node()
            rclpy.try_shutdown(context=context)
    found = f"{time.monotonic() - begun:.1f} s" if seen else f"nobody found within {PATIENCE:.0f} s"
    advice = "let UDP through on the loopback interface, and check ROS_AUTOMATIC_DISCOVERY_RANGE"
    return check("discovery", found, seen, advice)


def _is_installed(package: str, name: str) -> bool:
    try:
        return executable_path(package, name).is_file()
    except NotInstalled:
        return False


CHECKS = (interpreter, packages, memory, shared_memory, gpu, weights, ports, discovery)
"""In the order in which what fails should be mended."""

__all__ = ["CHECKS", "CheckStatus", "Finding", "conclusion"]


COLOURS = {CheckStatus.GOOD: "green", CheckStatus.LIMITED: "yellow", CheckStatus.BAD: "red"}


def doctor() -> None:
    """Check whether this machine can run the graph; exit code 1 when it cannot."""
    findings = [check() for check in CHECKS]
    table = Table("check", "verdict", "found", "what to do")
    for each in findings:
        colour = COLOURS[each.verdict]
        verdict = Text(each.verdict.value, style=colour)
        table.add_row(Text(each.what), verdict, Text(each.found), Text(each.advice))
    console = Console()
    console.print(table)
    console.print(Text(conclusion(findings)))
    if any(each.verdict is CheckStatus.BAD for each in findings):
        raise typer.Exit(1)
