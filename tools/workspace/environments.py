"""Environment variables for building and for running the packages."""

import os
import shlex
import subprocess
from pathlib import Path

from workspace.packages import LAB
from workspace.paths import Layout
from workspace.ros_sources import RosSource

SEARCH_PATHS = (
    "PATH",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "PKG_CONFIG_PATH",
)
ALWAYS_EXTENDED = ("PATH", "LD_LIBRARY_PATH")
DEFAULTS = {"MUJOCO_GL": "egl"}
DISCOVERY = (
    'if [ "${OPENRAL_DISCOVERY:-local}" = subnet ]; then',
    "export ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET",
    "else",
    "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST",
    "unset ROS_STATIC_PEERS ROS_DISCOVERY_SERVER ROS_SUPER_CLIENT FASTDDS_ENVIRONMENT_FILE",
    "fi",
    "unset ROS_LOCALHOST_ONLY",
)
"""Reach of what is started in this environment, as `openral_core.discovery` limits it for nodes; ROS's own
setup exports another one, which is nobody's decision."""
COMMANDS = "lib/openral_bringup"
"""Folder of the installed `openral` command."""
MARKER = "OPENRAL_WORKSPACE"
WHEELS_ALREADY_FOUND = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"
PLAIN_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def ros_environment(layout: Layout, ros: RosSource) -> dict[str, str]:
    """Return the variables of ROS alone, without those of the caller."""
    if ros.setup_file:
        variables = _source(ros.setup_file, {"PATH": PLAIN_PATH})
    else:
        variables = {"PATH": PLAIN_PATH, **_environment_of_wheels(layout.venv)}
    return {**variables, "PATH": f"{layout.venv}/bin:{variables['PATH']}", "VIRTUAL_ENV": str(layout.venv)}


def build_environment(layout: Layout, ros: RosSource) -> dict[str, str]:
    """Return the environment of the caller with ROS in front, without search paths of another ROS."""
    variables = ros_environment(layout, ros)
    caller = {name: value for name, value in os.environ.items() if name not in SEARCH_PATHS}
    path = f"{variables['PATH']}:{os.environ.get('PATH', '')}"
    return {**caller, **variables, "PATH": path, "PYTHONWARNINGS": "ignore", "CMAKE_COLOR_DIAGNOSTICS": "OFF"}


def write_environment_file(layout: Layout, ros: RosSource, lab: bool = False) -> None:
    """Write the built environment once as plain assignments, so that entering it takes milliseconds.

    With the ``lab``, its benchmarks can be imported, which are no package that colcon installs.
    """
    before = ros_environment(layout, ros)
    after = _source(layout.install / "local_setup.sh", before)
    after["PATH"] = f"{layout.install / COMMANDS}:{after['PATH']}"
    if lab:
        after["PYTHONPATH"] = ":".join(filter(None, (after.get("PYTHONPATH"), str(layout.root / LAB))))
    layout.environment_file.write_text(_shell_text(layout, ros, after))


def _environment_of_wheels(venv: Path) -> dict[str, str]:
    """Return the variables that the start-up hook of the wheels sets by starting each interpreter twice."""
    libraries = [venv / "lib", *sorted(venv.glob("lib/python3.*/site-packages/ros_*.libs"))]
    return {
        "AMENT_PREFIX_PATH": str(venv),
        "CMAKE_PREFIX_PATH": str(venv),
        "LD_LIBRARY_PATH": ":".join(map(str, libraries)),
        "ROS_DISTRO": "jazzy",
        "ROS_VERSION": "2",
        WHEELS_ALREADY_FOUND: "1",
    }


def _source(file: Path, env: dict[str, str]) -> dict[str, str]:
    """Return the exported variables after sourcing a shell file in exactly the given environment."""
    script = 'COLCON_CURRENT_PREFIX=$(dirname "$0"); . "$0" && env -0'
    output = subprocess.run(
        ["/bin/sh", "-c", script, file], env=env, stdout=subprocess.PIPE, check=True
    ).stdout
    pairs = (entry.split("=", 1) for entry in output.decode().split("\0") if "=" in entry)
    return {name: value for name, value in pairs if name not in {"PWD", "OLDPWD", "SHLVL", "_"}}


def _shell_text(layout: Layout, ros: RosSource, variables: dict[str, str]) -> str:
    root = shlex.quote(str(layout.root))
    assignments = [_assignment(name, value, ros) for name, value in sorted(variables.items())]
    if ros.is_system:
        assignments += [_appended("PYTHONPATH", folder) for folder in environment_packages(layout, ros)]
    defaults = [f'export {name}="${{{name}:-{value}}}"' for name, value in DEFAULTS.items()]
    lines = [
        f'if [ "${{{MARKER}:-}}" != {root} ]; then',
        *assignments,
        f"export {MARKER}={root}",
        "fi",
        *defaults,
        *DISCOVERY,
    ]
    return (
        "# Written by the build: the environment of this workspace, for `. install/env.sh`.\n"
        + "\n".join(lines)
        + "\n"
    )


def environment_packages(layout: Layout, ros: RosSource) -> tuple[Path, ...]:
    """Return the package folders of the virtual environment, for programs of the system interpreter.

    `ros2` of an installed ROS 2 is such a program, and `ros2 launch` imports this workspace's packages.
    Binary wheels fit one minor version of Python: if that of ROS differs, there is no folder.
    """
    own = [folder.parent.name for folder in (ros.prefix or layout.venv).glob("lib/python3.*/site-packages")]
    found = sorted(layout.venv.glob("lib/python3.*/site-packages"))
    return tuple(folder for folder in found if not own or folder.parent.name in own)


def _appended(name: str, folder: Path) -> str:
    """Append to a search path, so that neither packages of ROS nor overlays of the caller are shadowed."""
    return f'export {name}="${{{name}}}":{shlex.quote(str(folder))}'


def _assignment(name: str, value: str, ros: RosSource) -> str:
    if name == "PATH":
        value = value.removesuffix(f":{PLAIN_PATH}")
    extended = name in ALWAYS_EXTENDED or (ros.is_system and name in SEARCH_PATHS)
    rest = f'"${{{name}:+:${name}}}"' if extended else ""
    return f"export {name}={shlex.quote(value)}{rest}"
