"""Python environment of the tests of PyTorch engines."""

import sys
from pathlib import Path

from workspace.fingerprint import digest, digest_of_files
from workspace.paths import Layout
from workspace.shell import run, step
from workspace.virtual_environments import STAMP, base_interpreter, clean_environment

REQUIREMENTS = ("requirements/engines.txt", "rskills/rtdetr-v2-r50vd/requirements.txt")
"""The first includes the second."""


def ensure_engine_environment(layout: Layout) -> None:
    """Create it unless its stamp is current; an interrupted installation has no stamp."""
    files = [layout.root / name for name in REQUIREMENTS]
    home = layout.engine_environment
    wanted = digest([str(home.resolve()), sys.base_prefix, sys.version, digest_of_files(files)])
    stamp = home / STAMP
    if stamp.exists() and stamp.read_text() == wanted:
        return
    with step("Installing PyTorch for the tests of its engines (make test ENGINES=no skips both)"):
        env = clean_environment()
        make: list[str | Path] = [base_interpreter(), "-m", "venv", "--clear", home]
        run("python -m venv", make, layout.logs / "engines-venv.log", env)
        pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-r"]
        install: list[str | Path] = [home / "bin" / "python", *pip, files[0]]
        run("pip install (engines)", install, layout.logs / "engines-pip.log", env)
    stamp.write_text(wanted)
