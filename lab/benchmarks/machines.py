"""Machine on which a figure was measured."""

import os
import platform
from pathlib import Path

import psutil


def machine() -> dict[str, object]:
    """Processor, cores, memory, system, Python, and how busy it was."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load_before": [round(load, 2) for load in os.getloadavg()],
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()
