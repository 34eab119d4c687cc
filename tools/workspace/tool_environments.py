"""Python environments beside the one of the product: PyTorch, trainings, LeRobot, games, audit, documents."""

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
GAMES_REQUIREMENTS = ("lab/requirements/games.txt",)
AUDIT_REQUIREMENTS = ("requirements/audit.txt",)


def ensure_engine_environment(layout: Layout) -> None:
    """Create the environment of the tests of engines."""
    title = "Installing PyTorch for the tests of its engines (make test ENGINES=no skips both)"
    ensure_environment(layout, "engines", layout.engine_environment, REQUIREMENTS, title)


def ensure_training_environment(layout: Layout) -> None:
    """Create the environment of `openral train`."""
    title = "Installing PyTorch for trainings"
    ensure_environment(layout, "training", layout.training_environment, TRAINING_REQUIREMENTS, title)


def ensure_lerobot_environment(layout: Layout) -> None:
    """Create the environment of `openral export lerobot`."""
    title = "Installing lerobot with PyTorch (8 GB on x86_64)"
    ensure_environment(layout, "lerobot", layout.lerobot_environment, LEROBOT_REQUIREMENTS, title)


def ensure_games_environment(layout: Layout) -> None:
    """Create the environment of the game engines of `openral bench`."""
    title = "Installing TextWorldExpress and minigrid"
    ensure_environment(layout, "games", layout.games_environment, GAMES_REQUIREMENTS, title)


def ensure_audit_environment(layout: Layout) -> None:
    """Create the environment of the tools that list and audit dependencies."""
    title = "Installing cyclonedx-bom and pip-audit"
    ensure_environment(layout, "audit", layout.audit_environment, AUDIT_REQUIREMENTS, title)


def ensure_environment(
    layout: Layout, name: str, home: Path, requirements: tuple[str, ...], title: str
) -> None:
    """Create an environment unless its stamp is current; an interrupted installation has no stamp.

    What runs there is a process of its own, so one made by another Python serves as long as it starts.
    """
    files = [layout.root / file for file in requirements]
    wanted = digest([str(home.resolve()), digest_of_files(files)])
    stamp, python = home / STAMP, home / "bin" / "python"
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    with step(title):
        env = clean_environment()
        make: list[str | Path] = [base_interpreter(), "-m", "venv", "--clear", home]
        run("python -m venv", make, layout.logs / f"{name}-venv.log", env)
        pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-r"]
        install: list[str | Path] = [python, *pip, files[0]]
        run(f"pip install ({name})", install, layout.logs / f"{name}-pip.log", env)
    stamp.write_text(wanted)
