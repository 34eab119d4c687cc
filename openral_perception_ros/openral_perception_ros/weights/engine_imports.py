"""Whether an engine's packages work together: ``engine_imports ENGINE REQUIREMENTS``, where it will run."""

import importlib
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from openral_perception_ros.engines import engine_loader

_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_.-]*")


def packages_of(requirements: str) -> list[str]:
    """Packages a requirements file names and that are modules of the same name."""
    names = (match[0] for line in requirements.splitlines() if (match := _NAME.match(line)))
    return [name for name in names if find_spec(name) is not None]


def main() -> None:
    """Import them and the engine, in sight of the user; the first that breaks ends the process.

    transformers imports a model's class when it is loaded: what breaks there has to be tried here.
    """
    sys.tracebacklimit = 0
    engine, requirements = sys.argv[-2:]
    for name in packages_of(Path(requirements).read_text(encoding="utf-8")):
        _say(f"import {name}")
        importlib.import_module(name)
    _say(f"engine {engine}")
    engine_loader(engine)


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
