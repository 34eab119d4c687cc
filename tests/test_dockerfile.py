"""The Dockerfile names what the set-up needs, and runs what exists."""

import re
from pathlib import Path

from workspace.system_packages import NEEDED

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
INSTALLED = re.findall(r"apt-get install --yes --no-install-recommends (.*?)&&", DOCKERFILE)[0].split()


def test_every_system_package_that_the_set_up_checks_is_installed() -> None:
    assert {package.name for package in NEEDED} <= set(INSTALLED)


def test_the_targets_that_build_and_the_entry_point_exist() -> None:
    (targets,) = re.findall(r"make ([\w ]+) PYTHON=/usr/bin/python3.12", DOCKERFILE)
    declared = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(targets.split()) <= set(declared)
    assert (ROOT / "tools" / "env").stat().st_mode & 0o111
    assert 'ENTRYPOINT ["/opt/openral/tools/env"]' in DOCKERFILE


def test_nothing_that_is_built_here_is_copied_into_the_image() -> None:
    ignored = set((ROOT / ".dockerignore").read_text().split())
    assert {".venv*", ".pythons", "build", "install", "log", "runs"} <= ignored
