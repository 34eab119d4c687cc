"""Statistics of trials: pass^k, means, percentiles, and failures by category."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from openral_eval.suites.tasks import TrialRecord
from openral_household_benchmark.results import pass_hat_k

MAX_K = 8
"""Largest k of pass^k that is reported [1]."""


@dataclass(frozen=True, slots=True)
class Score:
    """Statistics of a group of trials.

    Attributes:
        success: Share of the trials that succeeded [1].
        completion: Mean share of the task that was completion [1].
        pass_hat: pass^1, pass^2, ... up to the trials of the task with the fewest [1].
        spl: Mean success weighted by path length where it is defined [1]; None if nowhere.
        steps: Mean goals sent to the skill server, or commands of a game [1].
        decisions, malformed, refused: Decisions, calls that did not fit, calls that were not carried out [1].
        tokens_in, tokens_out, tokens_cached: Sums [tokens]; cached ones are part of those in.
        cost: Sum [US$]; None if a decision had no known price.
        median, p95: Latency of a decision [s].
        failures: Numbers of failed trials by category.
    """

    tasks: int
    trials: int
    success: float
    completion: float
    pass_hat: tuple[float, ...]
    spl: float | None
    steps: float
    decisions: int
    malformed: int
    refused: int
    advised: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost: float | None
    median: float
    p95: float
    failures: Mapping[str, int]


def score(records: Sequence[TrialRecord]) -> Score:
    """Return the statistics of some trials, at least one."""
    by_task = defaultdict[tuple[str, str], list[bool]](list)
    for each in records:
        by_task[each.suite, each.task].append(each.success)
    fewest = min(MAX_K, *map(len, by_task.values()))
    spl = [each.spl for each in records if each.spl is not None]
    latencies = [seconds for each in records for seconds in each.latencies] or [0.0]
    costs = [each.cost for each in records]
    prices = [cost for cost in costs if cost is not None]
    return Score(
        tasks=len(by_task),
        trials=len(records),
        success=fmean(each.success for each in records),
        completion=fmean(each.score for each in records),
        pass_hat=tuple(
            fmean(pass_hat_k(sum(outcomes), len(outcomes), k) for outcomes in by_task.values())
            for k in range(1, fewest + 1)
        ),
        spl=fmean(spl) if spl else None,
        steps=fmean(each.steps for each in records),
        decisions=sum(each.decisions for each in records),
        malformed=sum(each.malformed for each in records),
        refused=sum(each.refused for each in records),
        advised=sum(each.advised for each in records),
        tokens_in=sum(each.tokens_in for each in records),
        tokens_out=sum(each.tokens_out for each in records),
        tokens_cached=sum(each.tokens_cached for each in records),
        cost=sum(prices) if len(prices) == len(costs) else None,
        median=float(np.percentile(latencies, 50)),
        p95=float(np.percentile(latencies, 95)),
        failures=dict(Counter(each.failure for each in records if each.failure).most_common()),
    )


def by_category(records: Iterable[TrialRecord]) -> Mapping[tuple[str, str], Score]:
    """Return the statistics of each category of each suite."""
    groups = defaultdict[tuple[str, str], list[TrialRecord]](list)
    for each in records:
        groups[each.suite, each.category].append(each)
    return {name: score(group) for name, group in groups.items()}


def by_suite(records: Iterable[TrialRecord]) -> Mapping[str, Score]:
    """Return the statistics of each suite."""
    groups = defaultdict[str, list[TrialRecord]](list)
    for each in records:
        groups[each.suite].append(each)
    return {name: score(group) for name, group in groups.items()}
