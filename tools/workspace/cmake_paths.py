"""Make the ROS wheels' exported CMake targets name this machine's Python.

The wheels carry the paths of the machine that built them (/opt/python/cpXY-cpXY/...); CMake refuses
to link against include directories that do not exist.
"""

import re
from pathlib import Path

NUMPY_INCLUDE = re.compile(r"/opt/python/cp[^/;\"]+/lib/(python3\.\d+)/site-packages/(numpy/[^;\"\s]+)")
PYTHON_INCLUDE = re.compile(r"/opt/python/cp[^/;\"]+/include/python3\.\d+")


def relocate(text: str, include: Path, venv: Path) -> str:
    """Name the interpreter's include directory and the virtual environment's numpy in exported targets."""
    text = NUMPY_INCLUDE.sub(lambda found: f"{venv}/lib/{found[1]}/site-packages/{found[2]}", text)
    return PYTHON_INCLUDE.sub(lambda _: str(include), text)


def relocate_wheels(include: Path, venv: Path) -> int:
    """Rewrite every exported target of the virtual environment; returns how many files changed."""
    changed = 0
    for file in venv.glob("share/*/cmake/*.cmake"):
        before = file.read_text()
        after = relocate(before, include, venv)
        if after != before:
            file.write_text(after)
            changed += 1
    return changed
