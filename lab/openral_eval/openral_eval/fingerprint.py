"""Fingerprint of a run: hashes of code, tasks, seeds and prompts, so that figures can be compared."""

from collections.abc import Sequence

from openral_core.documents import Document
from openral_eval.suites.homes import draw_home
from openral_eval.suites.tasks import SuiteTask
from openral_household_benchmark.source_hash import digest, hash_of_packages
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.registry import schemas
from openral_testing.reasoner.symbolic_mission import home_palette

PACKAGES = ("openral_core", "openral_reasoner", "openral_testing.reasoner", "openral_eval")
"""Packages that decide what a trial does."""


class Fingerprint(Document):
    """Hashes of everything that figures depend on, beside the model itself."""

    code: str
    tasks: str
    seeds: str
    prompts: str


def code_hash() -> str:
    """Return the hash of the sources of the packages that decide what a trial does."""
    return hash_of_packages(*PACKAGES)


def fingerprint(tasks: Sequence[SuiteTask], trials: int) -> Fingerprint:
    """Return the fingerprint of a run over some tasks."""
    tools = schemas(home_palette(draw_home(0)))
    texts = (f"{tool.name}\n{tool.description}\n{tool.parameters}" for tool in tools)
    return Fingerprint(
        code=code_hash(),
        tasks=digest(f"{each.suite}\n{each.name}\n{each.goal}\n{each.case}" for each in tasks),
        seeds=digest([*(str(each.seed) for each in tasks), str(trials)]),
        prompts=digest([SYSTEM_PROMPT, *texts]),
    )
