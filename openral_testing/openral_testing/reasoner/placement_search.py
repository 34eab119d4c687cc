"""Search of homes that a placement table furnishes: the order of places alone, without the mission core.

A policy is an order of places; its SPL (success weighted by path length) is compared with that of visiting
the nearest place first in the same homes. Everything is found in the end, so SPL is the share of the shortest
way in the way that was driven.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from random import Random

import numpy as np

from openral_reasoner.likely_places.belief import BeliefWeights
from openral_reasoner.likely_places.prior import shipped_prior
from openral_reasoner.search import SearchCosts, SearchEpisode, plan_active_search
from openral_testing.reasoner.placement_table import PlacementTable, draw_home, draw_target
from openral_testing.reasoner.symbolic_home import SymbolicHome

COSTS = SearchCosts(looking=0.1, opening=0.0)
"""Only driving is measured: looking costs next to nothing, and doors open by themselves."""
MIN_HOMES = 50
"""Homes from which a class of objects is reported [1]."""
Policy = Callable[[SymbolicHome, str], Iterator[str]]
"""Yields the ids of places in the order of searching, while the robot in the home moves along."""


def nearest_first(home: SymbolicHome, target: str) -> Iterator[str]:
    """Visit the nearest place next."""
    unvisited = dict(home.places)
    while unvisited:
        place = min(unvisited.values(), key=lambda p: abs(p.x - home.x) + abs(p.y - home.y))
        del unvisited[place.id]
        yield place.id


def planned(weights: BeliefWeights, opinion: Callable[[str], tuple[str, ...]] = lambda _: ()) -> Policy:
    """Return the policy of the planner; ``opinion`` gives the likely places of an object."""

    def policy(home: SymbolicHome, target: str) -> Iterator[str]:
        progress, graph = SearchEpisode(target).hinted((), opinion(target)), home.graph()
        while plan := plan_active_search(graph, progress, 1, (home.x, home.y, 0.0), COSTS, weights):
            progress = progress.after_visit(plan[0].node_id, "NOT_IN_VIEW")
            if plan[0].node_id in home.places:
                yield plan[0].node_id

    return policy


POLICIES: Mapping[str, Policy] = {
    "nearest first": nearest_first,
    "planner": planned(BeliefWeights()),
    "no prior": planned(BeliefWeights(prior=0.0)),
    "no history": planned(BeliefWeights(same=0.0, similar=0.0)),
    "no flat part": planned(BeliefWeights(flat=1e-6)),
    "flat part alone": planned(BeliefWeights(prior=0.0, same=0.0, similar=0.0)),
}


@dataclass(frozen=True, slots=True)
class TableResult:
    """SPL of every policy in every home [1], shape (N,) each, with the class of each home's target."""

    table: str
    classes: Sequence[str]
    spl: Mapping[str, np.ndarray]

    def ratio(self, policy: str, chosen: np.ndarray | None = None) -> tuple[float, float, float]:
        """Return SPL relative to nearest first, with the bounds of its 95 % interval (bootstrap over homes).

        Args:
            policy: Name of the policy.
            chosen: Mask of homes, shape (N,); None for all.
        """
        every = np.ones(len(self.classes), bool) if chosen is None else chosen
        ours, nearest = self.spl[policy][every], self.spl["nearest first"][every]
        picks = np.random.default_rng(0).integers(0, len(ours), (1000, len(ours)))
        ratios = ours[picks].mean(axis=1) / nearest[picks].mean(axis=1)
        low, high = np.percentile(ratios, (2.5, 97.5))
        return float(ours.mean() / nearest.mean()), float(low), float(high)

    def by_class(self, policy: str) -> Mapping[str, tuple[int, float, float, float]]:
        """Return the number of homes and the ratio with its bounds of every class that has enough homes."""
        labels = np.asarray(self.classes)
        rows = {}
        for name in sorted(set(self.classes)):
            chosen = labels == name
            if chosen.sum() >= MIN_HOMES:
                rows[name] = (int(chosen.sum()), *self.ratio(policy, chosen))
        return rows


def search_table(
    table: PlacementTable, homes: int, seed: int, odd: float, policies: Mapping[str, Policy] = POLICIES
) -> TableResult:
    """Search homes drawn from a table by every policy.

    Args:
        table: Source of homes.
        homes: Number of homes.
        seed: Seed of the first home.
        odd: Fraction of objects that are anywhere in their home instead [1].
        policies: What is compared; "nearest first" is among them.
    """
    spl: dict[str, list[float]] = defaultdict(list)
    classes = []
    for each in range(seed, seed + homes):
        rng = Random(each)
        target = draw_target(table, rng)
        home, place = draw_home(table, rng, target, odd)
        placed = shipped_prior().place(target)
        classes.append(placed.name if placed else "unknown")
        start = (home.x, home.y)
        for name, policy in policies.items():
            home.x, home.y = start
            spl[name].append(path_share(home, policy(home, target), place))
    return TableResult(table.name, classes, {name: np.array(values) for name, values in spl.items()})


def path_share(home: SymbolicHome, order: Iterator[str], place: str) -> float:
    """Return the length of the direct way to a place, relative to the way driven until it is searched [1]."""
    shortest, driven = _step(home, place), list[float]()
    for visited in order:
        driven.append(_step(home, visited))
        home.x, home.y = home.places[visited].standing.position[:2]
        if visited == place:
            break
    return shortest / max(shortest, fsum(driven), 1e-9)


def _step(home: SymbolicHome, place: str) -> float:
    """Return the length of the way to a place along the walls [m]."""
    x, y, _ = home.places[place].standing.position
    return abs(x - home.x) + abs(y - home.y)


def result_rows(result: TableResult) -> list[Mapping[str, object]]:
    """Return a row per policy, then one per class of objects for the planner."""
    rows = [
        _row(result.table, name, len(result.classes), float(values.mean()), result.ratio(name))
        for name, values in result.spl.items()
    ]
    classes = result.by_class("planner") if "planner" in result.spl else {}
    return rows + [
        _row(result.table, f"planner: {name}", count, None, bounds)
        for name, (count, *bounds) in sorted(classes.items(), key=lambda item: item[1][1])
    ]


def _row(
    table: str, policy: str, homes: int, spl: float | None, bounds: Sequence[float]
) -> Mapping[str, object]:
    ratio, low, high = bounds
    shown = "" if spl is None else f"{spl:.3f}"
    return {
        "table": table,
        "policy": policy,
        "homes": homes,
        "SPL": shown,
        "ratio": round(ratio, 3),
        "95 %": f"{low:.2f} to {high:.2f}",
    }


def table_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows as a Markdown table."""
    lines = ["| " + " | ".join(map(str, row.values())) + " |" for row in rows]
    return "\n".join(("| " + " | ".join(rows[0]) + " |", "|---" * len(rows[0]) + "|", *lines))
