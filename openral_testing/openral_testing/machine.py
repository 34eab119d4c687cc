"""Machine on which a figure was measured."""

import os
import platform

import psutil

from openral_bringup.cli.machine import processor_name
from openral_ros.gpu import gpus


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
