"""Find a supported Python; written so that an older Python can still parse this file."""

import os
import shutil
import subprocess
import sys

SUPPORTED = ((3, 12), (3, 11))


def continue_in_supported_interpreter() -> None:
    """Return if this interpreter is supported, else replace it with the first supported one on PATH."""
    if sys.version_info[:2] in SUPPORTED:
        return
    for version in SUPPORTED:
        python = shutil.which("python{}.{}".format(*version))
        if python and _runs(python):
            os.execv(python, [python, "-m", "workspace", *sys.argv[1:]])
    names = " or ".join("{}.{}".format(*version) for version in SUPPORTED)
    found = "{}.{}".format(*sys.version_info[:2])
    sys.exit(
        "Python {} is needed; found {} at {}. Install it, or make PYTHON=/path/to/python.".format(
            names, found, sys.executable
        )
    )


def _runs(python: str) -> bool:
    """Test if the program starts; version managers leave names on PATH that do not."""
    return subprocess.call([python, "-c", ""], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
