"""Facts of this machine and installation, for bug reports and beside figures; no secret is among them."""

import os
import platform
import resource
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from openral_core import CONTRACT_VERSION
from openral_ros.gpu import gpus

PACKAGE = "openral_bringup"
"""Its version is that of all packages."""
WHEELS = (
    *("rclpy", "ros-rmw-fastrtps-cpp", "ros-fastrtps", "numpy", "opencv-python-headless", "onnxruntime"),
    *("mujoco", "pydantic", "mcap"),
)
"""Wheels that bugs have depended on; one that is not installed is left out."""
PREFIXES = ("OPENRAL_", "ROS_", "RMW_", "FASTDDS_", "FASTRTPS_", "CYCLONEDDS_", "CUDA_VISIBLE_DEVICES")
SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""Words of variables' names of which only that they are set is said."""
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HF_TOKEN")
KB = 1024.0
"""Kilobytes of one megabyte [1]."""
LONGEST = 300
"""Characters of one fact."""


def machine() -> dict[str, str | float]:
    """Describe this machine, and how busy it is, without naming it or its user."""
    described: dict[str, str | float] = {
        "processor": processor_name(),
        "cores": os.cpu_count() or 0,
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
    }
    return described | {
        f"gpu_{number}": f"{gpu.name}, {gpu.total:.0f} MB" for number, gpu in enumerate(gpus())
    }


def model_memory(base_url: str) -> float | None:
    """Return the peak memory of a model's process on this machine [MB]; None if it runs elsewhere.

    It is the process that listens at ``base_url``; without one, the largest child of this process.
    """
    address = urlsplit(base_url)
    if base_url and address.hostname not in ("127.0.0.1", "localhost"):
        return None
    listening = [each for each in psutil.net_connections("tcp") if each.status == psutil.CONN_LISTEN]
    pids = {each.pid for each in listening if each.laddr.port == address.port}
    children = {each.pid for each in psutil.Process().children(recursive=True)}
    ended = 0.0 if base_url else resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / KB
    return max(ended, *map(_peak, (pids if base_url else children) - {None}), 0.0) or None


def _peak(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next((float(line.split()[1]) / KB for line in lines if line.startswith("VmHWM")), 0.0)


def facts() -> dict[str, str]:
    """Return what there is to say, by name."""
    parts = (_openral, _system, _processor, _wheels, _variables, _newest_run)
    return {name: text[:LONGEST] for part in parts for name, text in part()}


def _openral() -> Iterator[tuple[str, str]]:
    commit = git("rev-parse", "--short=12", "HEAD")
    changes = len(git("status", "--porcelain").splitlines())
    checkout = f", commit {commit}" if commit else ", not in a checkout"
    checkout += f" with {changes} changed files" if changes else ""
    yield "openral", f"{version(PACKAGE)}, contract {CONTRACT_VERSION}{checkout}"


def git(*arguments: str) -> str:
    """Return what git says of the checkout that this package is run from; "" without git or a checkout."""
    folder = Path(__file__).resolve().parent
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10.0, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()


def _system() -> Iterator[tuple[str, str]]:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = platform.system()
    container = " in a container" if Path("/.dockerenv").exists() else ""
    yield "system", f"{name}, {platform.system()} {platform.release()} {platform.machine()}{container}"
    yield "python", f"{platform.python_version()} in {os.path.relpath(sys.prefix)}"


def _processor() -> Iterator[tuple[str, str]]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    memory = psutil.virtual_memory().total / 1e9
    yield "processor", f"{processor_name()}, {cores} cores, load {load}, {memory:.0f} GB"


def processor_name() -> str:
    """Return the name of the processor's model; that of its architecture if the system does not tell."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _wheels() -> Iterator[tuple[str, str]]:
    yield "wheels", ", ".join(_installed())


def _installed() -> Iterator[str]:
    for name in WHEELS:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


def _variables() -> Iterator[tuple[str, str]]:
    for name, value in sorted(os.environ.items()):
        if name in KEYS or (name.startswith(PREFIXES) and any(word in name for word in SECRETS)):
            yield name, "set"
        elif name.startswith(PREFIXES):
            yield name, value


def _newest_run() -> Iterator[tuple[str, str]]:
    newest = Path("runs/latest")
    if newest.exists():
        names = sorted(file.name for file in newest.iterdir())
        yield "newest run", f"runs/{newest.resolve().name}: {', '.join(names)}"
