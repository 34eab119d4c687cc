"""Which detectors are awake from the start, when memory is short."""

from collections.abc import Sequence

from openral_bringup.graphs.choices import Choices
from openral_core.detectors import Mode
from openral_core.rskills import DetectorManifest


def asleep(choices: Choices, chosen: Sequence[DetectorManifest], problems: list[str]) -> frozenset[str]:
    """Ids that stay inactive until they are needed: those that stream come first, then locators in order.

    Adds to ``problems`` when no locator could ever be woken.
    """
    budget = choices.gpu_budget_mb
    if budget <= 0.0:
        return frozenset()
    _check(chosen, budget, problems)
    left, sleeping = budget, set()
    for each in sorted(chosen, key=lambda manifest: manifest.mode is Mode.ON_DEMAND):
        if each.memory_mb > left:
            sleeping.add(each.id)
        else:
            left -= each.memory_mb
    return frozenset(sleeping)


def _check(chosen: Sequence[DetectorManifest], budget: float, problems: list[str]) -> None:
    locators = [each for each in chosen if each.mode is Mode.ON_DEMAND]
    smallest = min(locators, key=lambda each: each.memory_mb, default=None)
    if smallest is not None and smallest.memory_mb > budget:
        problems.append(
            f"--gpu-budget-mb {budget:.0f} is too small for any locator: "
            f"the smallest, {smallest.id}, needs {smallest.memory_mb:.0f} MB"
        )
