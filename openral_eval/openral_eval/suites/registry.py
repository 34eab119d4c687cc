"""Suites by name."""

from collections.abc import Iterable, Mapping

from openral_eval.suites import household, search
from openral_eval.tasks import Suite, SuiteOptions, Task, UnknownSuite

SUITES: Mapping[str, Suite] = {each.SUITE.name: each.SUITE for each in (search, household)}


def tasks_of(names: Iterable[str], options: SuiteOptions) -> tuple[Task, ...]:
    """Return the tasks of some suites.

    Raises:
        UnknownSuite: If a name is no suite's.
    """
    unknown = next((name for name in names if name not in SUITES), None)
    if unknown is not None:
        raise UnknownSuite(unknown, tuple(SUITES))
    return tuple(task for name in names for task in SUITES[name].tasks(options))
