"""What runs on the machine: packages, weights, and whether processes find each other."""

import os
import time

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import String

from openral_bringup.checks.findings import Finding, Verdict, judged
from openral_bringup.graphs.choices import CONTINUOUS, ON_DEMAND, DetectorSet
from openral_bringup.graphs.locations import NotInstalled, executable_path, rskill_folders
from openral_core.rskills import Registry
from openral_perception_ros.weights.listing import MISSING, REFUSED, presence_of

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
    return judged("ros", found, not missing, "run `make build` and start with tools/env")


def weights() -> Finding:
    """Checkpoints of the detectors that a deployment takes by default."""
    registry = Registry.load(rskill_folders())
    ids = (*CONTINUOUS[DetectorSet.DEFAULT], *ON_DEMAND[DetectorSet.DEFAULT])
    rows = [presence_of(registry.detector(each), registry.folder(each), "") for each in ids]
    absent = [row.rskill for row in rows if row.state in (MISSING, REFUSED)]
    found = ", ".join(f"{row.rskill}: {row.state}" for row in rows)
    advice = f"`openral weights fetch {absent[0]}`; --detectors embedded needs none" if absent else ""
    return judged("weights", found, not absent, advice, Verdict.LIMITED)


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
    return judged("discovery", found, seen, advice)


def _is_installed(package: str, name: str) -> bool:
    try:
        return executable_path(package, name).is_file()
    except NotInstalled:
        return False
