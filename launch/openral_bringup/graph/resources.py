"""Paths of installed data: scenes, rSkills, executables."""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix, get_package_share_directory

from openral_bringup.graph.problems import Flag, InvalidOption
from openral_core.errors import OpenRALError, format_choices
from openral_core.rskills import MANIFEST_FILE

GENERATED = "generated:"
SIMULATION = ("openral_sim", "mujoco")
"""Modules that only a simulated robot needs."""
_DRAWN = Path("runs") / "homes"


class NotInstalled(OpenRALError):
    """Package of this workspace that is not installed in the environment."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"package {package!r} is not in this environment: run `make build` and source the environment"
        )


class SimulationNotInstalled(OpenRALError):
    """Simulation that was asked for in an environment without it."""

    def __init__(self, module: str) -> None:
        super().__init__(
            f"the simulation needs {module!r}, which is not in this environment: run `make build`, or build "
            "the package openral_sim and install what its package.xml names. A real robot needs neither: "
            "`python deploy_robot.py --robot FILE`"
        )


SCENE_ALIASES = {"robocasa_baguette": "home"}
"""Shipped scenes by names that others give to theirs; in both a baguette is fetched."""


class SceneNotFound(OpenRALError):
    """Scene that is neither a file nor a shipped scene."""

    def __init__(self, name: str, shipped: list[str]) -> None:
        super().__init__(
            f"scene {name!r} is not a file: shipped scenes are {format_choices(shipped)}; "
            f"or {GENERATED}SEED[:ROOMS]"
        )


class RobotNotFound(OpenRALError):
    """Robot that is neither a file nor the name of a shipped one."""

    def __init__(self, name: str, shipped: list[str]) -> None:
        super().__init__(f"robot {name!r} is not a file: shipped examples are {format_choices(shipped)}")


class NoRskills(InvalidOption):
    """Folder of the user that holds no rSkill."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Flag("rskills", str(folder)), ": no <id>/rskill.yaml in this folder")


def rskill_folders(own: Iterable[Path | str] = ()) -> list[Path]:
    """Return the folder of the shipped rSkills, and the user's own.

    Raises:
        NoRskills: If one of them holds none.
    """
    folders = [Path(folder).expanduser().absolute() for folder in own]
    for folder in folders:
        if not any(folder.glob(f"*/{MANIFEST_FILE}")):
            raise NoRskills(folder)
    return [share_folder("openral_rskills"), *folders]


def require_simulation() -> None:
    """Check that the optional simulation can be imported, without importing it.

    Raises:
        SimulationNotInstalled: Naming the first module that is missing.
    """
    for module in SIMULATION:
        if find_spec(module) is None:
            raise SimulationNotInstalled(module)


def scene_path(name: str) -> Path:
    """Return a scene file as given, the shipped scene of that name, or one generated into ``runs/homes``.

    Args:
        name: ``home`` or ``scenes/deploy/home.yaml``; ``generated:SEED[:ROOMS]`` for a generated home.

    Raises:
        SceneNotFound: Listing the shipped ones.
        NoGenerator: If nothing that samples homes is installed.
        OpenRALError: If the seed gives no home.
    """
    if name.startswith(GENERATED):
        from openral_sim.scene.scene_files import find_scene, write_home

        return write_home(find_scene(name, share_folder("openral_scenes")), _DRAWN).resolve()
    shipped = {file.stem: file for file in sorted((share_folder("openral_scenes") / "deploy").glob("*.yaml"))}
    path = Path(name)
    if path.is_file():
        return path.resolve()
    stem = SCENE_ALIASES.get(path.stem, path.stem)
    if stem in shipped:
        return shipped[stem]
    raise SceneNotFound(name, list(shipped))


def robot_path(name: str) -> Path:
    """Return a robot.yaml as given, or the shipped one of that name.

    Raises:
        RobotNotFound: Listing the shipped ones.
    """
    path = Path(name)
    if path.is_file():
        return path.resolve()
    shipped = {file.stem: file for file in sorted(share_folder("openral_robots").glob("*.yaml"))}
    if path.stem in shipped:
        return shipped[path.stem]
    raise RobotNotFound(name, list(shipped))


def dds_profile(name: str) -> Path:
    """Return a profile of Fast DDS: ``discovery``, ``large_images`` or ``large_images_local``."""
    return share_folder("openral_bringup") / "dds" / f"{name}.xml"


def executable_path(package: str, executable: str) -> Path:
    """Return a node's executable, as `ros2 run` finds it.

    Raises:
        NotInstalled: If the package is not in this environment.
    """
    try:
        return Path(get_package_prefix(package)) / "lib" / package / executable
    except PackageNotFoundError as error:
        raise NotInstalled(package) from error


def share_folder(package: str) -> Path:
    """Return the share folder of an installed package."""
    try:
        return Path(get_package_share_directory(package))
    except PackageNotFoundError as error:
        raise NotInstalled(package) from error
