"""A file holds one concept; a long one hides a second."""

from pathlib import Path

LONGEST = 400
ROOT = Path(__file__).resolve().parents[1]
NOT_OURS = {"build", "install", "log", "runs"}


def python_files() -> list[Path]:
    files = (file.relative_to(ROOT) for file in ROOT.rglob("*.py"))
    return sorted(
        file
        for file in files
        if not (file.parts[0] in NOT_OURS or any(part[0] == "." for part in file.parts))
    )


def test_every_file_is_short_enough_to_be_read_at_once() -> None:
    lines = {str(file): len((ROOT / file).read_text().splitlines()) for file in python_files()}
    too_long = {file: count for file, count in lines.items() if count > LONGEST}
    assert not too_long, "split a file where its second concept begins"


def test_every_package_is_counted() -> None:
    folders = {file.parts[0] for file in python_files()}
    assert {manifest.parent.name for manifest in ROOT.glob("*/setup.py")} <= folders
