"""Tests of the check of system packages."""

from pathlib import Path

import pytest

from workspace import system_packages
from workspace.system_packages import SystemPackage, SystemPackagesMissing, ensure_system_packages

NEEDED = (SystemPackage("cmake", lambda: False), SystemPackage("libegl1", lambda: True))


@pytest.mark.parametrize(
    ("apt", "words"),
    [
        ("/usr/bin/apt-get", "sudo apt-get install --yes cmake$"),
        (None, "Install the equivalents of the Debian packages cmake$"),
    ],
)
def test_what_is_absent_is_named_in_one_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, apt: str | None, words: str
) -> None:
    monkeypatch.setattr(system_packages.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(system_packages.shutil, "which", lambda _: apt)
    with pytest.raises(SystemPackagesMissing, match=words):
        ensure_system_packages(tmp_path, NEEDED)


def test_nothing_is_done_where_nothing_is_absent(tmp_path: Path) -> None:
    ensure_system_packages(tmp_path, NEEDED[1:])
    assert list(tmp_path.iterdir()) == []
