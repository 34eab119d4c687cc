"""Tools that talk or end: ask_human, emit_prompt and done."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import override

from openral_core.missions import MissionState
from openral_reasoner.behaviors.ending import challenge_giving_up, challenge_success, ending_of_success, prove
from openral_reasoner.behaviors.human import ask_human
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Ending, Mission, Procedure, at_once
from openral_reasoner.tools.base import Outcome, Tool


class AskHumanTool(Tool):
    """Ask what only a human can decide."""

    tool: Literal["ask_human"] = "ask_human"
    question: str = Field(min_length=1, max_length=500)
    choices: tuple[Annotated[str, Field(max_length=200)], ...] = Field(default=(), max_length=8)
    or_goal: SkipJsonSchema[bool] = Field(
        default=False, description="an answer that is a goal of its own is pursued in place of this one"
    )

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        early = yield from challenge_giving_up(mission)
        if early is not None:
            return early
        mission.operator.answer_may_be_goal = self.or_goal
        answer = yield from ask_human(mission, self.question, self.choices)
        mission.operator.answer_may_be_goal = False
        if answer is None:
            return Ending(MissionState.HANDED_OVER, mission.with_caveats(self.question))
        return ToolResult(
            status="ANSWERED", text="continue with the operator's answer", operator_words=answer
        )


class EmitPromptTool(Tool):
    """Tell the operator something and go on."""

    tool: Literal["emit_prompt"] = "emit_prompt"
    text: str = Field(min_length=1, max_length=500)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.tell(self.text)
        return at_once(ToolResult(status="SAID", text="the message was sent to the operator"))


class DoneTool(Tool):
    """End the mission, with success or because no human can help."""

    tool: Literal["done"] = "done"
    success: bool
    message: str = Field(min_length=1, max_length=500)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        outcome: Outcome
        if self.success:
            proof = yield from prove(mission)
            outcome = challenge_success(mission, proof) or ending_of_success(mission, proof, self.message)
        else:
            early = yield from challenge_giving_up(mission)
            outcome = early or Ending(MissionState.FAILED, mission.with_caveats(self.message))
        if isinstance(outcome, Ending):
            mission.tell(outcome.reason)
        return outcome
