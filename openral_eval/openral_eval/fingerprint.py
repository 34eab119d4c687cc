"""Fingerprint of a run: hashes of code, tasks, seeds and prompts, so that figures can be compared."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from openral_core.documents import Document
from openral_eval.homes import draw_home
from openral_eval.symbolic_mission import home_palette
from openral_eval.tasks import Task
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.registry import schemas

PACKAGES = ("openral_core", "openral_reasoner", "openral_reasoner_testing", "openral_eval")
"""Packages that decide what a trial does."""
_SUFFIXES = (".py", ".yaml")


class Fingerprint(Document):
    """Hashes of everything that figures depend on, beside the model itself."""

    code: str
    tasks: str
    seeds: str
    prompts: str


@cache
def code_hash() -> str:
    """Return the hash of the sources of the packages that decide what a trial does."""
    return _digest(
        f"{path}:{hashlib.sha256(file.read_bytes()).hexdigest()}"
        for package in PACKAGES
        for path, file in _sources(files(package), package)
    )


def _sources(folder: Traversable, path: str) -> list[tuple[str, Traversable]]:
    found = list[tuple[str, Traversable]]()
    for each in sorted(folder.iterdir(), key=lambda item: item.name):
        name = f"{path}/{each.name}"
        if each.is_dir() and each.name != "__pycache__":
            found += _sources(each, name)
        elif each.name.endswith(_SUFFIXES):
            found.append((name, each))
    return found


def fingerprint(tasks: Sequence[Task], trials: int) -> Fingerprint:
    """Return the fingerprint of a run over some tasks."""
    tools = schemas(home_palette(draw_home(0)))
    texts = (f"{tool.name}\n{tool.description}\n{tool.parameters}" for tool in tools)
    return Fingerprint(
        code=code_hash(),
        tasks=_digest(f"{each.suite}\n{each.name}\n{each.goal}\n{each.case}" for each in tasks),
        seeds=_digest([*(str(each.seed) for each in tasks), str(trials)]),
        prompts=_digest([SYSTEM_PROMPT, *texts]),
    )


def _digest(parts: Iterable[str]) -> str:
    """Return the first 16 digits of the SHA-256 of some texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
