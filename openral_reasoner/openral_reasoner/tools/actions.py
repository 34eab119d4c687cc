"""Tools that act: execute_rskill and lifecycle_transition."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import override

from openral_core.rskills import ParameterType
from openral_core.skills import Verb
from openral_reasoner.behaviors.approach import resolve_object
from openral_reasoner.behaviors.human import approved
from openral_reasoner.behaviors.preconditions import hand_refusal, misfit
from openral_reasoner.behaviors.recall_or_locate import frontier, not_found_reply
from openral_reasoner.behaviors.referents import not_pointed_at
from openral_reasoner.behaviors.residency import activate_peer, deactivate_peer
from openral_reasoner.behaviors.search import search_candidate
from openral_reasoner.behaviors.skill_execution import SkillExecution, execute_step
from openral_reasoner.behaviors.skill_goal import SkillStep
from openral_reasoner.behaviors.skill_parameters import Extra, not_filled_in, typed
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import SkillEntry, ToolPalette
from openral_reasoner.search import Candidate, SearchEpisode
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool
from openral_reasoner.tools.stating import NOT_STATED

_TO_SEARCH = (Verb.NAVIGATE, Verb.LOOK_AT, Verb.OPEN)
_JSON: Mapping[ParameterType, str] = {
    ParameterType.STRING: "string",
    ParameterType.FLOAT: "number",
    ParameterType.INT: "integer",
    ParameterType.BOOL: "boolean",
}


class ExecuteRskillTool(Tool):
    """Act with a skill on one target.

    GRASP and POUR take an object; OPEN, CLOSE and PLACE a place or an object, no room; HANDOVER a person;
    SWITCH and PRESS a control.
    """

    tool: Literal["execute_rskill"] = "execute_rskill"
    rskill_id: str = Field(max_length=64)
    target: str = Field(max_length=128, description="id or 'me'")
    search_for: str = Field(default="", max_length=200, description="missed query, to search the target")
    prompt: SkipJsonSchema[str] = Field(default="", max_length=300, description="of the step, for the log")
    parameters: dict[str, Extra] = Field(default={}, description="as listed")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return bool(palette.targeted)

    @classmethod
    @override
    def ids(cls, palette: ToolPalette) -> Mapping[str, tuple[str, ...]]:
        return {"rskill_id": tuple(skill.id for skill in palette.targeted)}

    @classmethod
    @override
    def unused(cls, palette: ToolPalette) -> frozenset[str]:
        return frozenset() if any(map(not_filled_in, palette.targeted)) else frozenset({"parameters"})

    @classmethod
    @override
    def named(cls, palette: ToolPalette) -> Mapping[str, Mapping[str, object]]:
        specs = {spec.name: spec for skill in palette.targeted for spec in not_filled_in(skill)}
        schemas = {n: {"type": _JSON[s.type], "description": s.description} for n, s in specs.items()}
        return {"parameters": schemas}

    @override
    def check(self, mission: Mission) -> None:
        palette = mission.palette
        check_parameters(self._entry(mission), self.parameters)
        if self._target_id(mission) is None:
            places = tuple(p.id for p in palette.places)
            raise InvalidCall("target", self.target, ("me", *acting_targets(mission), *places))
        known_object = mission.objects.get(self._target_id(mission) or "")
        if known_object is not None and known_object.hint and self._entry(mission).verb not in _TO_SEARCH:
            advice = (
                "this object is only similar to the query: NAVIGATE to it with search_for, "
                "then act on the id that is found"
            )
            raise InvalidCall("target", self.target, acting_targets(mission), advice)
        others = not_pointed_at(mission, self._entry(mission).verb, self._target_id(mission) or "")
        if others:
            raise InvalidCall("target", self.target, others, "the operator points at these: no other will do")
        unfit = misfit(mission, self._entry(mission).verb, self._target_id(mission) or "")
        if unfit is not None:
            raise InvalidCall("target", self.target, unfit.valid, unfit.advice)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        if mission.unread:
            return NOT_STATED
        entry = self._entry(mission)
        target = self._target_id(mission) or ""
        refused = hand_refusal(mission, entry.verb, target)
        if refused is not None:
            return refused
        if not (yield from approved(mission, f"{entry.verb.value} {target}")):
            return ToolResult(status="NOT_APPROVED", text="the operator did not approve this step")
        sought = yield from self._sought(mission, entry, target)
        if sought is not None:
            return (yield from search_candidate(mission, *sought))
        known_object = yield from resolve_object(mission, target)
        if known_object is None:
            return ToolResult(status="NOT_FOUND", text="memory has no location for the target")
        step = SkillStep(entry, known_object, self.prompt, self.parameters)
        execution = yield from execute_step(mission, step)
        return (yield from step_reply(mission, entry, execution, self.search_for))

    def _entry(self, mission: Mission) -> SkillEntry:
        entry = mission.palette.skill(self.rskill_id)
        if entry is None or entry not in mission.palette.targeted:
            raise InvalidCall("rskill_id", self.rskill_id, tuple(s.id for s in mission.palette.targeted))
        return entry

    def _target_id(self, mission: Mission) -> str | None:
        """Return the target's id if this mission or the palette knows it."""
        if self.target in mission.objects:
            return self.target
        if self.target.strip().lower() == "me":
            return mission.requester or "me"
        place = mission.palette.place(self.target) or mission.palette.control(self.target)
        return place.id if place else None

    def _sought(
        self, mission: Mission, entry: SkillEntry, target: str
    ) -> Procedure[tuple[Candidate, SearchEpisode] | None]:
        """Return the open search for ``search_for`` if the target is on its frontier."""
        if entry.verb not in _TO_SEARCH or not self.search_for:
            return None
        episode = mission.search.episode(self.search_for)
        if not _is_open(episode):
            return None
        candidates = yield from frontier(mission, episode)
        return next(((each, episode) for each in candidates if each.node_id == target), None)


def check_parameters(skill: SkillEntry, arguments: Mapping[str, Extra]) -> None:
    """Reject parameters that the skill does not accept, before anything moves.

    Raises:
        InvalidCall: With the parameters it accepts.
    """
    specs = {spec.name: spec for spec in not_filled_in(skill)}
    for name, value in arguments.items():
        if name not in specs:
            advice = f"{skill.id} takes {'only these' if specs else 'no'} parameters"
            raise InvalidCall("parameter", name, tuple(specs), advice)
        if typed(specs[name], value) is None:
            advice = f"{name} of {skill.id} must be a {specs[name].type.value}"
            raise InvalidCall("parameter", name, (), advice)
    for name, spec in specs.items():
        if spec.required and name not in arguments:
            advice = f"{skill.id} needs the parameter {name}, a {spec.type.value}"
            raise InvalidCall("parameter", name, (), advice)


def _is_open(episode: SearchEpisode) -> bool:
    return episode.escalated and not episode.found_id


def acting_targets(mission: Mission) -> tuple[str, ...]:
    """Return the objects that an acting skill may target."""
    return tuple(
        known_object.id
        for known_object in mission.objects.values()
        if not (known_object.hint or known_object.disproved)
    )


def step_reply(
    mission: Mission, entry: SkillEntry, execution: SkillExecution, search_for: str
) -> Procedure[ToolResult]:
    """Reply to the model with the result of a step."""
    peer = (execution.result.message,) if execution.result.message else ()
    if execution.result.success:
        text = f"{entry.verb.value} succeeded{_unsearched(mission, entry.verb, search_for)}"
        return ToolResult(status="SUCCEEDED", text=text, peer_words=peer)
    if execution.moved is not None:
        words = execution.target.words or execution.target.label
        return (
            yield from not_found_reply(
                mission, words, "MOVED", "it is no longer where memory has it", (execution.moved.message,)
            )
        )
    text = f"{entry.verb.value} failed{mission.blocked_ways.advice(execution.target.id)}"
    return ToolResult(status=execution.result.status.name, text=text, peer_words=peer)


def _unsearched(mission: Mission, verb: Verb, search_for: str) -> str:
    """Explain that a plain step searched nothing while a search is open."""
    if verb not in _TO_SEARCH:
        return ""
    if search_for:
        return "; nothing was searched: the target is not on the frontier of an open search for search_for"
    looking = any(_is_open(episode) for episode in mission.search.episodes.values())
    return "; nothing was searched: set search_for to search a place" if looking else ""


class LifecycleTransitionTool(Tool):
    """Load or unload a detector; rarely needed."""

    tool: Literal["lifecycle_transition"] = "lifecycle_transition"
    peer: str = Field(max_length=64)
    transition: Literal["activate", "deactivate"]

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return bool(palette.peers)

    @override
    def check(self, mission: Mission) -> None:
        if self.peer not in mission.palette.peers:
            raise InvalidCall("peer", self.peer, mission.palette.peers)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.say(f"{self.transition} {self.peer}")
        activate = self.transition == "activate"
        refused = yield from (activate_peer if activate else deactivate_peer)(mission, self.peer)
        if refused:
            return ToolResult(
                status="REFUSED", text="the transition was not carried out", peer_words=(refused,)
            )
        return ToolResult(status="SUCCEEDED", text=f"{self.transition} succeeded")
