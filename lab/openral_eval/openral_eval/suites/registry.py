"""Suites by name."""

from collections.abc import Mapping, Sequence

from openral_eval.suites import household, injection, language, search, text_games, tools
from openral_eval.suites.tasks import Suite, SuiteOptions, SuiteTask, UnknownSuite

SUITES: Mapping[str, Suite] = {
    suite.name: suite
    for suite in (
        search.SUITE,
        household.SUITE,
        text_games.TIDY,
        text_games.TWC,
        tools.SUITE,
        language.SUITE,
        language.PARAPHRASES,
        language.REFUSALS,
        injection.SUITE,
    )
}


def tasks_of(names: Sequence[str], options: SuiteOptions) -> tuple[SuiteTask, ...]:
    """Return the tasks of some suites.

    Raises:
        UnknownSuite: If a name is no suite's.
    """
    unknown = next((name for name in names if name not in SUITES), None)
    if unknown is not None:
        raise UnknownSuite(unknown, tuple(SUITES))
    return tuple(task for name in names for task in SUITES[name].tasks(options))
