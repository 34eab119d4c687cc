"""Python environments beside the one of the product: for PyTorch, trainings, LeRobot, games and the audit."""

import sys
from pathlib import Path

from workspace.fingerprint import digest, digest_of_files
from workspace.paths import Layout
from workspace.shell import run, step
from workspace.virtual_environments import STAMP, base_interpreter, clean_environment

TRAINING_REQUIREMENTS = ("requirements/training.txt",)
REQUIREMENTS = (
    "requirements/engines.txt",
    "rskills/rtdetr-v2-r50vd/requirements.txt",
    "rskills/rtdetr-coco-kserve/requirements.txt",
    *TRAINING_REQUIREMENTS,
)
"""The first includes the others."""
LEROBOT_REQUIREMENTS = ("requirements/lerobot.txt",)
GAMES_REQUIREMENTS = ("requirements/games.txt",)
AUDIT_REQUIREMENTS = ("requirements/audit.txt",)


def ensure_engine_environment(layout: Layout) -> None:
    """Create the environment of the tests of engines."""
    title = "Installing PyTorch for the tests of its engines (make test ENGINES=no skips both)"
    _ensure(layout, "engines", layout.engine_environment, REQUIREMENTS, title)


def ensure_training_environment(layout: Layout) -> None:
    """Create the environment of `openral train`."""
    title = "Installing PyTorch for trainings"
    _ensure(layout, "training", layout.training_environment, TRAINING_REQUIREMENTS, title)


def ensure_lerobot_environment(layout: Layout) -> None:
    """Create the environment of `openral export lerobot`."""
    title = "Installing lerobot with PyTorch (8 GB on x86_64)"
    _ensure(layout, "lerobot", layout.lerobot_environment, LEROBOT_REQUIREMENTS, title)


def ensure_games_environment(layout: Layout) -> None:
    """Create the environment of the game engines of `openral bench`."""
    title = "Installing TextWorldExpress"
    _ensure(layout, "games", layout.games_environment, GAMES_REQUIREMENTS, title)


def ensure_audit_environment(layout: Layout) -> None:
    """Create the environment of the tools that list and audit dependencies."""
    title = "Installing cyclonedx-bom and pip-audit"
    _ensure(layout, "audit", layout.audit_environment, AUDIT_REQUIREMENTS, title)


def _ensure(layout: Layout, name: str, home: Path, requirements: tuple[str, ...], title: str) -> None:
    """Create an environment unless its stamp is current; an interrupted installation has no stamp."""
    files = [layout.root / file for file in requirements]
    wanted = digest([str(home.resolve()), sys.base_prefix, sys.version, digest_of_files(files)])
    stamp = home / STAMP
    if stamp.exists() and stamp.read_text() == wanted:
        return
    with step(title):
        env = clean_environment()
        make: list[str | Path] = [base_interpreter(), "-m", "venv", "--clear", home]
        run("python -m venv", make, layout.logs / f"{name}-venv.log", env)
        pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-r"]
        install: list[str | Path] = [home / "bin" / "python", *pip, files[0]]
        run(f"pip install ({name})", install, layout.logs / f"{name}-pip.log", env)
    stamp.write_text(wanted)
