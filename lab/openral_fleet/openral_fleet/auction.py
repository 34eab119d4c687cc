"""Sequential single-item auctions: one errand at a time goes to the cheapest robot that can do it.

Urgency goes before cost: of the most urgent errands, the one with the lowest bid is allocated. An errand that
later ones have overtaken `MAX_OVERTAKEN` times goes before all others, in the order of the list.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from openral_fleet.goal_traits import traits_of
from openral_fleet.records import ErrandRecord
from openral_fleet.robots import RobotState, bid, obstacle

MAX_OVERTAKEN = 4
"""Number of later errands that may be allocated before an errand that a robot could have done."""
MAX_REFUSALS = 3
"""Refusals after which a robot is not offered an errand again."""


@dataclass(frozen=True, slots=True)
class Award:
    """An errand and the robot that gets it; ``overtaken`` are the ids of errands that had come before it."""

    errand: str
    robot: str
    cost: float
    overtaken: tuple[str, ...] = ()


def allocate(ready: Sequence[ErrandRecord], idle: Iterable[RobotState]) -> list[Award]:
    """Allocate errands to idle robots, at most one to each, until none fits."""
    remaining, robots = list(ready), {robot.name: robot for robot in idle}
    awards: list[Award] = []
    while award := _best(remaining, tuple(robots.values())):
        awards.append(award)
        remaining = [
            each.having(overtaken=each.overtaken + (each.id in award.overtaken))
            for each in remaining
            if each.id != award.errand
        ]
        del robots[award.robot]
    return awards


def refusal(record: ErrandRecord, robot: RobotState) -> str:
    """Return the reason that a robot does not get an errand, "" if it may."""
    if robot.name in record.failed:
        return f"{robot.name} could not do it"
    if record.refused.count(robot.name) >= MAX_REFUSALS:
        return f"{robot.name} refused it {MAX_REFUSALS} times"
    return obstacle(record.errand, traits_of(record.errand.goal), robot)


def _best(ready: Sequence[ErrandRecord], robots: Sequence[RobotState]) -> Award | None:
    bids = [
        (*_urgency(record, order), bid(traits_of(record.errand.goal), robot), order, robot.name)
        for order, record in enumerate(ready)
        for robot in robots
        if not refusal(record, robot)
    ]
    if not bids:
        return None
    *_, cost, order, name = min(bids)
    before = {ready[each[-2]].id for each in bids if each[-2] < order}
    return Award(ready[order].id, name, cost, tuple(sorted(before)))


def _urgency(record: ErrandRecord, order: int) -> tuple[float, float, float]:
    """Return the key of an errand among others, the most urgent first."""
    if record.overtaken >= MAX_OVERTAKEN:
        return (0.0, float(order), 0.0)
    return (1.0, -float(record.errand.priority), record.errand.deadline or inf)
