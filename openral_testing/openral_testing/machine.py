"""Machine on which a figure was measured."""

import os
import platform
from pathlib import Path

import psutil

from openral_ros.gpu import gpus


def machine() -> dict[str, str | float]:
    """Describe this machine, and how busy it is, without naming it or its user."""
    described: dict[str, str | float] = {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
    }
    return described | {
        f"gpu_{number}": f"{gpu.name}, {gpu.total:.0f} MB" for number, gpu in enumerate(gpus())
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
