"""Paths of the workspace."""

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """Paths of one checkout, all absolute."""

    root: Path

    @classmethod
    def here(cls) -> "Layout":
        """Return the checkout of this file."""
        return cls(Path(__file__).resolve().parents[2])

    @property
    def venv(self) -> Path:
        """The virtual environment; may be a symbolic link to one shared by several checkouts."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The virtual environment's interpreter."""
        return self.venv / "bin" / "python"

    def aside(self, version: str) -> Path:
        """Folder that keeps the set-up of a Python version, such as `3.11`, while another one is in use."""
        return self.root / ".pythons" / version

    @property
    def engine_environment(self) -> Path:
        """The virtual environment of the tests of engines on PyTorch, one per Python version."""
        return self.root / ".environments" / "tests-{}.{}".format(*sys.version_info[:2])

    @property
    def training_environment(self) -> Path:
        """The virtual environment of `openral train`."""
        return self.root / ".environments" / "training"

    @property
    def lerobot_environment(self) -> Path:
        """The virtual environment of `openral export lerobot`."""
        return self.root / ".environments" / "lerobot"

    @property
    def games_environment(self) -> Path:
        """The virtual environment of the game engines of `openral bench`."""
        return self.root / ".environments" / "games"

    @property
    def audit_environment(self) -> Path:
        """The virtual environment of the tools that list and audit dependencies."""
        return self.root / ".environments" / "audit"

    @property
    def docs_environment(self) -> Path:
        """The virtual environment that builds the documentation site."""
        return self.root / ".environments" / "docs"

    @property
    def requirements(self) -> Path:
        """Pinned requirements, one file per purpose."""
        return self.root / "requirements"

    @property
    def build(self) -> Path:
        """State of colcon between builds."""
        return self.root / "build"

    @property
    def install(self) -> Path:
        """The built prefix."""
        return self.root / "install"

    @property
    def logs(self) -> Path:
        """Logs of set-up and build."""
        return self.root / "log" / "workspace"

    @property
    def environment_file(self) -> Path:
        """Shell file that sets the built environment."""
        return self.install / "env.sh"
