"""Folders of rSkill manifests for nodes, which may be started from anywhere."""

from collections.abc import Sequence
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from openral_core.errors import OpenRALError

RSKILLS_PACKAGE = "openral_rskills"


class NoRskillsInstalled(OpenRALError):
    """No rSkill folder is configured and none is installed."""

    def __init__(self) -> None:
        super().__init__(
            f"package {RSKILLS_PACKAGE!r} is not in this environment and parameter rskill_folders is empty: "
            "source the workspace's install/env.sh, or set rskill_folders"
        )


def rskill_folders(named: Sequence[str]) -> list[Path]:
    """Return the configured rSkill folders, or the folder of the installed rSkills.

    Raises:
        NoRskillsInstalled: If neither exists.
    """
    if named:
        return [Path(folder) for folder in named]
    try:
        return [Path(get_package_share_directory(RSKILLS_PACKAGE))]
    except PackageNotFoundError as error:
        raise NoRskillsInstalled from error
