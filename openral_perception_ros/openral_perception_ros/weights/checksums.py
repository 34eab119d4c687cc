"""sha256 of files, against what a manifest or a record says."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_perception_ros.weights.records import FILE


class ChecksumDiffers(OpenRALError):
    """Files that are not what they should be."""

    def __init__(self, folder: Path, problems: list[str]) -> None:
        super().__init__(f"{folder}: " + "; ".join(problems) + ": remove the folder and fetch it again")


def sha256_of(file: Path) -> str:
    """The digest of one file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digests_of(folder: Path) -> dict[str, str]:
    """Digests of every file below a folder but its record."""
    files = sorted(each for each in folder.rglob("*") if each.is_file() and each.name != FILE)
    kept = [each for each in files if ".cache" not in each.relative_to(folder).parts]
    return {str(each.relative_to(folder)): sha256_of(each) for each in kept}


def check(folder: Path, expected: Mapping[str, str]) -> int:
    """How many files were compared.

    Raises:
        ChecksumDiffers: Naming every file that is missing or differs.
    """
    problems = []
    for name, digest in sorted(expected.items()):
        file = folder / name
        if not file.is_file():
            problems.append(f"{name} is missing")
        elif (found := sha256_of(file)) != digest:
            problems.append(f"{name} has sha256 {found[:12]}…, expected {digest[:12]}…")
    if problems:
        raise ChecksumDiffers(folder, problems)
    return len(expected)
