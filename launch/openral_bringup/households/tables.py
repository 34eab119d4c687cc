"""Outcomes as Markdown."""

from collections.abc import Iterator, Sequence
from statistics import mean

from openral_bringup.households.archetypes import Archetype
from openral_bringup.households.outcomes import Outcome
from openral_core.missions import MissionState

_HEAD = (
    "| archetype | tasks | success | claimed | wall [s] | simulated [s] | times real time | tool calls "
    "| looks | containers opened | way [m] |\n|---|---|---|---|---|---|---|---|---|---|---|"
)
_FAILURES = "| archetype | home | seed | goal | why | in words |\n|---|---|---|---|---|---|"


def household_table(outcomes: Sequence[Outcome]) -> str:
    """Means by archetype, then every failure."""
    parts = ["\n".join((_HEAD, *_rows(outcomes)))]
    failures = [each for each in outcomes if not each.success]
    if failures:
        parts.append("\n".join((_FAILURES, *map(_failure, failures))))
    return "\n\n".join(parts)


def _rows(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for archetype in Archetype:
        group = [each for each in outcomes if each.archetype is archetype]
        if group:
            yield _row(archetype.value, group)
    if outcomes:
        yield _row("all", outcomes)


def _row(name: str, group: Sequence[Outcome]) -> str:
    done = sum(each.success for each in group)
    factor = sum(each.simulated for each in group) / max(sum(each.wall for each in group), 1e-9)
    means = (
        mean(each.tool_calls for each in group),
        mean(each.looks for each in group),
        mean(each.containers_opened for each in group),
        mean(each.metres or 0.0 for each in group),
    )
    wall, simulated = mean(each.wall for each in group), mean(each.simulated for each in group)
    counted = " | ".join(f"{value:.1f}" for value in means)
    claimed = sum(each.state == MissionState.CLAIMED.name for each in group)
    share = f"{done}/{len(group)} ({done / len(group):.0%}) | {claimed}"
    return f"| {name} | {len(group)} | {share} | {wall:.1f} | {simulated:.1f} | {factor:.1f} | {counted} |"


def _failure(outcome: Outcome) -> str:
    words = outcome.words.replace("|", "/").replace("\n", " ")[:160]
    return (
        f"| {outcome.archetype.value} | {outcome.scene} | {outcome.seed} | {outcome.goal} "
        f"| {outcome.why} | {words} |"
    )
