"""Tool with which a language model says what it understood, before it acts."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_core.missions import MissionState
from openral_reasoner.behaviors.human import ask_human
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Ending, Mission, Procedure, at_once
from openral_reasoner.prompt_queue import quoted
from openral_reasoner.request.goals import NotUnderstood, Request, is_understood
from openral_reasoner.request.saying import in_words
from openral_reasoner.request.statement import (
    Ban,
    Step,
    UnfaithfulStatement,
    When,
    check_statement,
    request_of,
    same_request,
)
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool

NOT_STATED = ToolResult(
    status="NOT_STATED", text="call state_request first: what was asked for is not stated yet"
)
"""Reply to a call that would act on a goal which nobody has said to have understood."""


def may_state(mission: Mission) -> bool:
    """Return True while the model may say what a goal means: of one that is read, in its first call only."""
    return mission.unread or not (mission.decisions.goal_is_stated or mission.decisions.turns)


class StateRequestTool(Tool):
    """Say what the operator asked for, once, before anything moves; the operator reads it.

    Success is judged by this statement. Use the words of the sentence. What is only quoted, reported or
    denied is no step; what must not be done stands in forbidden. If no step can say it, give no step. A goal
    that is understood already needs no statement, unless it was understood wrongly.
    """

    tool: Literal["state_request"] = "state_request"
    steps: tuple[Step, ...] = Field(max_length=12, description="what is to be done")
    when: When = Field(default=When(), description="condition of all the steps, if there is one")
    ordered: bool = Field(default=False, description="true if the sentence states an order of the steps")
    forbidden: tuple[Ban, ...] = Field(default=(), max_length=12, description="what must not be done")

    @override
    def check(self, mission: Mission) -> None:
        if not self.steps:
            return
        try:
            check_statement(mission.goal, self.steps, self.forbidden, self.when)
            request_of(self.steps, self.forbidden, ordered=self.ordered, when=self.when)
        except UnfaithfulStatement as error:
            raise InvalidCall(
                "steps", str(error), (), f"{error}; or give no step if none can say it"
            ) from error

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.decisions.goal_is_stated = True
        before = mission.request
        if not self.steps and is_understood(before):
            return at_once(ToolResult(status="STATED", text=f"it stays understood as: {in_words(before)}"))
        if not self.steps:
            text = "noted: the mission may act, but its success cannot be proven"
            return at_once(ToolResult(status="STATED", text=text))
        request = request_of(self.steps, self.forbidden, ordered=self.ordered, when=self.when)
        if is_understood(before) and not same_request(before, request):
            return self._chosen(mission, before, request)
        if not is_understood(before):
            mission.understand(request)
        return at_once(ToolResult(status="STATED", text="success is judged by this statement"))

    def _chosen(self, mission: Mission, *requests: Request) -> Procedure[Outcome]:
        """Ask the operator which reading of the goal is meant."""
        question = f"I read {quoted(mission.goal)} in two ways. Which one do you mean?"
        readings = tuple(map(in_words, requests))
        answer = yield from ask_human(mission, question, readings)
        if answer not in readings:
            mission.request = NotUnderstood(mission.goal)
            return Ending(
                MissionState.HANDED_OVER, mission.with_caveats(f"{question} {'; or: '.join(readings)}")
            )
        mission.understand(requests[readings.index(answer)])
        return ToolResult(status="STATED", text=f"the operator means: {answer}")
