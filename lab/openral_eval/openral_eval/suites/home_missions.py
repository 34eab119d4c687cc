"""Missions in drawn symbolic homes that are judged by their effects: what the household suites share."""

from dataclasses import dataclass
from typing import Self

from pydantic import Field, model_validator

from openral_core.documents import Document
from openral_core.missions import MissionState
from openral_eval.suites.effects import compare, state_of
from openral_eval.suites.homes import REQUESTER
from openral_eval.suites.tasks import TaskVerdict
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.symbolic_home import SymbolicHome
from openral_testing.reasoner.symbolic_mission import MissionOutcome, StreamingHomePeers, run_symbolic_mission

ASKED = (MissionState.HANDED_OVER, MissionState.FAILED)
"""Ends of a mission that could not be done: a question, or a report that says so."""
NEAR = 1.0
"""Distance within which the robot is at a place [m]."""


class Wanted(Document):
    """Wanted outcome of a mission.

    Attributes:
        effects: In the notation of `openral_eval.suites.effects`.
        asked: The mission ends with a question or a report of failure, not as done.
        at: Place or room where the robot is at the end, or the object that it is at or sees; "" for anywhere.
        told: Words of which the operator reads at least one; ``@OBJECT`` is its place, by label or id.
    """

    effects: tuple[str, ...] = ()
    asked: bool = False
    at: str = ""
    told: tuple[str, ...] = Field(default=())

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.effects or self.asked or self.at or self.told):
            raise ValueError("says nothing about the outcome")
        return self


@dataclass(frozen=True, slots=True)
class HomeMission:
    """Goal in a home with its wanted outcome."""

    goal: str
    home: SymbolicHome
    expected: Wanted
    skill_messages: dict[str, str]


def run_home_mission(mission: HomeMission, model: Model, settings: MissionSettings) -> TaskVerdict:
    """Run a mission and judge it by the home's own state."""
    home, before = mission.home, state_of(mission.home)
    peers = StreamingHomePeers(home, mission.skill_messages)
    outcome = run_symbolic_mission(mission.goal, peers, model, settings, REQUESTER)
    difference = compare(before, state_of(home), mission.expected.effects)
    failure, detail = judge(mission, outcome, difference.missing, difference.unasked)
    return TaskVerdict(
        failure=failure,
        detail=detail or (outcome.reason if failure else ""),
        state=outcome.state.name,
        score=0.0 if failure else 1.0,
        steps=outcome.skills,
        messages=outcome.messages,
    )


def judge(
    mission: HomeMission, outcome: MissionOutcome, missing: tuple[str, ...], unasked: tuple[str, ...]
) -> tuple[str, str]:
    """Return the category of the failure with a detail, both "" if the mission did what was wanted."""
    ended = outcome.state in (MissionState.SUCCEEDED, MissionState.CLAIMED)
    if unasked:
        return "WRONG_ACTION", f"not asked for: {', '.join(unasked)}"
    if mission.expected.asked:
        return ("", "") if outcome.state in ASKED else ("NOT_ASKED", outcome.reason)
    if missing:
        lacks = f"missing: {', '.join(missing)}; {outcome.reason}"
        return (f"FALSE_{outcome.state.name}" if ended else outcome.state.name), lacks
    return _judge_report(mission, outcome) if ended else (outcome.state.name, outcome.reason)


def _judge_report(mission: HomeMission, outcome: MissionOutcome) -> tuple[str, str]:
    """Judge a mission that ended as done by the robot's position and what the operator read."""
    expected = mission.expected
    if expected.at and not _is_at(mission.home, expected.at):
        return f"FALSE_{outcome.state.name}", f"the robot is not at {expected.at}"
    text = " ".join(outcome.messages).lower()
    names = [name.lower() for each in expected.told for name in _names(mission.home, each)]
    if names and not any(name in text for name in names):
        return "NOT_TOLD", f"none of {names} is in {text!r}"
    return "", ""


def _names(home: SymbolicHome, word: str) -> tuple[str, ...]:
    """Return the names by which a wanted word may be told."""
    if not word.startswith("@"):
        return (word,)
    place = home.places[home.objects[word[1:]].place]
    return place.label, place.id


def _is_at(home: SymbolicHome, node: str) -> bool:
    if node in home.objects:
        place = home.places.get(home.objects[node].place)
        return place is not None and home.sees(place)
    if node in home.rooms:
        x, y, _ = home.graph().by_id[node].pose.position
        return (home.at in home.places and home.places[home.at].room == node) or (
            abs(home.x - x) < NEAR and abs(home.y - y) < NEAR
        )
    return home.at == node
