"""The folder of real data on this machine."""

import os
from pathlib import Path

from openral_core.errors import OpenRALError, format_choices

VARIABLE = "OPENRAL_REAL_DATA"
PROOF = Path("photos/annotations.json")
"""File that is written last."""


class RealDataMissing(OpenRALError):
    """Real data that are not on this machine."""

    def __init__(self, searched: tuple[Path, ...]) -> None:
        super().__init__(
            f"no real data on this machine (searched {format_choices(searched)}): run `make real-data`, "
            f"or name their folder in {VARIABLE}"
        )


def cache_folder() -> Path:
    """Return the folder that `make real-data` fills."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "openral" / "real"


def candidates(checkout: Path) -> tuple[Path, ...]:
    """Return the folders that may hold the data, in search order; the variable excludes the others."""
    if named := os.environ.get(VARIABLE):
        return (Path(named).expanduser(),)
    return (checkout.parent / "shared" / "real", cache_folder())


def find_real_data(checkout: Path) -> Path | None:
    """Return the folder of real data for tests of a checkout, None without one."""
    return next((folder for folder in candidates(checkout) if (folder / PROOF).is_file()), None)


def real_data(checkout: Path) -> Path:
    """Return the folder of real data for tests of a checkout.

    Raises:
        RealDataMissing: Naming the searched folders and the command to run.
    """
    folder = find_real_data(checkout)
    if folder is None:
        raise RealDataMissing(candidates(checkout))
    return folder
