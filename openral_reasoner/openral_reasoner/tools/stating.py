"""Tool with which a language model says what it understood, before it acts."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission, Procedure, at_once
from openral_reasoner.request.statement import (
    Ban,
    Step,
    UnfaithfulStatement,
    When,
    check_statement,
    request_of,
)
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool

NOT_STATED = ToolResult(
    status="NOT_STATED", text="call state_request first: what was asked for is not stated yet"
)
"""Reply to a call that would act on a goal which nobody has said to have understood."""


class StateRequestTool(Tool):
    """Say what the operator asked for, once, before anything moves; the operator reads it.

    Success is judged by this statement. Use the words of the sentence. What is only quoted, reported or
    denied is no step; what must not be done stands in forbidden. If no step can say it, give no step.
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
        mission.stated = True
        if not self.steps:
            text = "noted: the mission may act, but its success cannot be proven"
            return at_once(ToolResult(status="STATED", text=text))
        mission.understand(request_of(self.steps, self.forbidden, ordered=self.ordered, when=self.when))
        return at_once(ToolResult(status="STATED", text="success is judged by this statement"))
