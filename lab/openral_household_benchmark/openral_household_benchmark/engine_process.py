"""Game engine in a process under another interpreter: one JSON request and one reply a line."""

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from openral_core.errors import OpenRALError

ENVIRONMENT = "OPENRAL_GAMES_PYTHON"
"""Variable that names the interpreter; default: that of `make games` in the current directory."""
DEFAULT_PYTHON = Path(".environments/games/bin/python")
END_TIME = 10.0
"""Time in which an engine ends once its input has ended, before it is killed [s]."""


class EngineUnavailable(OpenRALError):
    """Engine that does not start, ends, or answers what it should not."""

    def __init__(self, engine: str, why: str) -> None:
        super().__init__(
            f"the game engine {engine} is unavailable: {why}. Run `make games` in the checkout and start "
            f"from there, or name an interpreter with the package in {ENVIRONMENT} or --python"
        )


class EngineReply(BaseModel):
    """Reply of an engine; keys that are not needed are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


R = TypeVar("R", bound=EngineReply)


def games_python(chosen: Path | None) -> Path:
    """Return the interpreter that has the engines."""
    return chosen or Path(os.environ.get(ENVIRONMENT, "") or DEFAULT_PYTHON)


class EngineProcess:
    """Process of one engine; a context manager that ends it.

    Args:
        python: Interpreter with the engine's package.
        script: Server to run.
    """

    def __init__(self, python: Path, script: Path) -> None:
        self._name = script.stem.removesuffix("_server")
        try:
            self._process = subprocess.Popen(
                [python, "-P", script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=_environment(),
            )
        except OSError as error:
            raise EngineUnavailable(self._name, str(error)) from error

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=END_TIME)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def ask(self, request: Mapping[str, object], reply: type[R]) -> R:
        """Send a request and return the reply.

        Raises:
            EngineUnavailable: If the process ended, or the reply is none.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError as error:
            raise EngineUnavailable(self._name, str(error)) from error
        if not line:
            raise EngineUnavailable(self._name, f"its process ended with {self._process.wait()}")
        try:
            return reply.model_validate_json(line)
        except ValidationError as error:
            raise EngineUnavailable(self._name, f"it answered {line[:200]!r}") from error


def _environment() -> Mapping[str, str]:
    """Return the environment without what would bring this product's packages into the other interpreter."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
