"""`openral doctor`: checks whether this machine can run the graph, and prints what a bug report needs.

The checks cover interpreter, packages, memory, shared memory, GPU, weights, ports and discovery.
"""

import json
import os
import shutil
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class CheckStatus(StrEnum):
    """Result of a check."""

    GOOD = "ok"
    LIMITED = "limited"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of one check; ``advice`` is empty if the check passed."""

    what: str
    verdict: CheckStatus
    found: str
    advice: str = ""


def check(
    what: str, summary: str, passed: bool, advice: str, failure: CheckStatus = CheckStatus.BAD
) -> CheckResult:
    """Return the finding of a check that passed, or one of status ``failure`` with the advice."""
    return (
        CheckResult(what, CheckStatus.GOOD, summary)
        if passed
        else CheckResult(what, failure, summary, advice)
    )


def conclusion(findings: Sequence[CheckResult]) -> str:
    """Summarise the findings in one sentence."""
    bad = [finding.what for finding in findings if finding.verdict is CheckStatus.BAD]
    limited = [finding.what for finding in findings if finding.verdict is CheckStatus.LIMITED]
    if bad:
        return f"This machine is not ready. Fix first: {bad[0]}."
    if limited:
        return f"This machine can run the graph with limits: {', '.join(limited)}."
    return "This machine can run the graph with every detector."


PYTHONS = ((3, 11), (3, 12))
"""Versions that the packages support."""
REQUIRED_MB = 3000.0
"""Memory of the graph with embedded detectors and simulation [MB]."""
REQUIRED_SHARED_MB = 64.0
"""Shared memory for the images of that graph [MB]."""
SHARED_MEMORY = Path("/dev/shm")
PARTICIPANTS = 16
"""DDS participants of one graph, with some to spare."""


def interpreter() -> CheckResult:
    """Check the version of the running Python."""
    version = ".".join(map(str, sys.version_info[:3]))
    return check("python", version, sys.version_info[:2] in PYTHONS, "use Python 3.11 or 3.12: `make setup`")


def memory() -> CheckResult:
    """Check the free main memory."""
    import psutil

    free = psutil.virtual_memory().available / 1e6
    advice = f"close other programs: the graph needs {REQUIRED_MB:.0f} MB with embedded detectors"
    return check("memory", f"{free:.0f} MB free", free >= REQUIRED_MB, advice)


def shared_memory() -> CheckResult:
    """Check the shared memory that carries images between processes."""
    free = shutil.disk_usage(SHARED_MEMORY).free / 1e6 if SHARED_MEMORY.is_dir() else 0.0
    advice = f"give {SHARED_MEMORY} at least {REQUIRED_SHARED_MB:.0f} MB; in a container: --shm-size=1g"
    summary = f"{free:.0f} MB free in {SHARED_MEMORY}"
    return check("shared memory", summary, free >= REQUIRED_SHARED_MB, advice)


def gpu() -> CheckResult:
    """Check for an NVIDIA GPU."""
    from openral_ros.gpu import gpus

    names = ", ".join(f"{g.name}: {g.total - g.used:.0f} of {g.total:.0f} MB free" for g in gpus())
    advice = "large detectors need an NVIDIA GPU with its driver; --detectors embedded needs none"
    return check("gpu", names or "none", bool(names), advice, CheckStatus.LIMITED)


def ports() -> CheckResult:
    """Check that the UDP ports of DDS are free in the current domain."""
    domain = int(os.environ.get("ROS_DOMAIN_ID") or 0)
    first = 7410 + 250 * domain
    free = sum(is_port_free(first + 2 * number) for number in range(PARTICIPANTS))
    summary = f"ports of {free} of {PARTICIPANTS} participants free in domain {domain}"
    advice = f"another graph is using domain {domain}: choose another one with --domain-id"
    return check("ports", summary, free == PARTICIPANTS, advice, CheckStatus.LIMITED)


def is_port_free(port: int) -> bool:
    """Return True if a UDP port can be bound."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True


NODES = (
    ("openral_perception_ros", "detector"),
    ("openral_world_state", "world_state"),
    ("openral_reasoner_ros", "reasoner"),
    ("openral_bringup", "bringup"),
)
SIMULATION = ("openral_sim", "sim")
"""Node that a real robot does without."""
DISCOVERY_TIMEOUT = 5.0
"""Longest wait for two nodes to discover each other [s]."""


def packages() -> CheckResult:
    """Check that the executables of all nodes are installed."""
    missing = [f"{package}/{name}" for package, name in NODES if not is_installed(package, name)]
    summary = f"{os.environ.get('ROS_DISTRO', 'no ROS')}, " + (
        f"missing {', '.join(missing)}" if missing else "every node is built"
    )
    if not is_installed(*SIMULATION):
        summary += ", without the simulation"
    return check("ros", summary, not missing, "run `make build` and start with tools/env")


def weights() -> CheckResult:
    """Check for the checkpoints of the default detectors."""
    from openral_bringup.graph.options import CONTINUOUS, ON_DEMAND, DetectorSet
    from openral_bringup.graph.resources import rskill_folders
    from openral_core.rskills import Registry
    from openral_perception_ros.weights.fetch import MISSING, REFUSED, weights_status

    registry = Registry.load(rskill_folders())
    ids = (*CONTINUOUS[DetectorSet.DEFAULT], *ON_DEMAND[DetectorSet.DEFAULT])
    rows = [weights_status(registry.detector(name), registry.folder(name), "") for name in ids]
    absent = [row.rskill for row in rows if row.state in (MISSING, REFUSED)]
    summary = ", ".join(f"{row.rskill}: {row.state}" for row in rows)
    advice = f"run `openral weights fetch {absent[0]}`; --detectors embedded needs none" if absent else ""
    return check("weights", summary, not absent, advice, CheckStatus.LIMITED)


def discovery() -> CheckResult:
    """Check that two DDS participants of this machine discover each other."""
    import rclpy
    from rclpy.context import Context
    from rclpy.node import Node
    from std_msgs.msg import String

    from openral_ros.discovery import init_rclpy

    contexts = (Context(), Context())
    for context in contexts:
        init_rclpy(context=context)
    here, there = (Node(name, context=c) for name, c in zip(("here", "there"), contexts, strict=True))
    start = time.monotonic()
    try:
        there.create_publisher(String, "openral/doctor", 1)
        while here.count_publishers("openral/doctor") == 0 and time.monotonic() - start < DISCOVERY_TIMEOUT:
            time.sleep(0.02)
        discovered = here.count_publishers("openral/doctor") > 0
    finally:
        for node, context in ((here, contexts[0]), (there, contexts[1])):
            node.destroy_node()
            rclpy.try_shutdown(context=context)
    elapsed = time.monotonic() - start
    summary = f"{elapsed:.1f} s" if discovered else f"no discovery within {DISCOVERY_TIMEOUT:.0f} s"
    advice = "allow UDP on the loopback interface"
    return check("discovery", summary, discovered, advice)


def reach() -> CheckResult:
    """Check which machines can reach a graph that is started here."""
    from openral_core.discovery import (
        VARIABLE,
        Discovery,
        InvalidDiscovery,
        apply_discovery,
        chosen_discovery,
        describe_discovery,
        is_bound_to_this_machine,
    )
    from openral_ros.discovery import loopback_profile, profile_folder

    environment = dict(os.environ)
    try:
        apply_discovery(environment, chosen_discovery(environment), loopback_profile())
    except InvalidDiscovery as error:
        return check("reach", str(error), passed=False, advice="export OPENRAL_DISCOVERY=local, or =subnet")
    summary = describe_discovery(environment, profile_folder())
    subnet = environment[VARIABLE] == Discovery.SUBNET
    bound = subnet or is_bound_to_this_machine(environment, profile_folder())
    advice = "unset FASTRTPS_DEFAULT_PROFILES_FILE and RMW_IMPLEMENTATION, or check what they allow"
    return check("reach", summary, bound, advice, CheckStatus.LIMITED)


def is_installed(package: str, name: str) -> bool:
    """Return True if the executable of a node exists."""
    from openral_bringup.graph.resources import NotInstalled, executable_path

    try:
        return executable_path(package, name).is_file()
    except NotInstalled:
        return False


CHECKS = (interpreter, packages, memory, shared_memory, gpu, weights, ports, reach, discovery)
"""Checks in the order in which failures should be fixed."""

commands = typer.Typer()
COLOURS = {CheckStatus.GOOD: "green", CheckStatus.LIMITED: "yellow", CheckStatus.BAD: "red"}


@commands.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="print the findings as JSON")] = False,
) -> None:
    """Check whether this machine can run the graph, for a bug report too; exit code 1 if it cannot."""
    from openral_testing.machine import facts

    findings = [check() for check in CHECKS]
    if as_json:
        answer = {
            "summary": conclusion(findings),
            "findings": list(map(asdict, findings)),
            "machine": facts(),
        }
        typer.echo(json.dumps(answer))
    else:
        show(findings)
        typer.echo("".join(f"\n{name}: {fact}" for name, fact in facts().items()))
    if any(finding.verdict is CheckStatus.BAD for finding in findings):
        raise typer.Exit(1)


def show(findings: Sequence[CheckResult]) -> None:
    """Print the findings as a table."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("check", "verdict", "found", "what to do")
    for finding in findings:
        verdict = Text(finding.verdict.value, style=COLOURS[finding.verdict])
        table.add_row(Text(finding.what), verdict, Text(finding.found), Text(finding.advice))
    console = Console()
    console.print(table)
    console.print(Text(conclusion(findings)))
