"""Tool ask_human: hand the mission over to a human with a question."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_core.missions import MissionState
from openral_reasoner.behaviors.human import ask_human
from openral_reasoner.behaviors.search import challenge_giving_up
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Ending, Mission, Procedure
from openral_reasoner.tools.base import Outcome, Tool


class AskHumanTool(Tool):
    """Hand the mission over to a human with a question.

    Use it when the search is exhausted or only a human can decide. Without an answer the mission ends as
    handed over.
    """

    tool: Literal["ask_human"] = "ask_human"
    question: str = Field(min_length=1, max_length=500, description="question that only a human can answer")
    choices: tuple[str, ...] = Field(default=(), max_length=8, description="possible answers, if any")

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        early = yield from challenge_giving_up(mission)
        if early is not None:
            return early
        answer = yield from ask_human(mission, self.question, self.choices)
        if answer is None:
            return Ending(MissionState.HANDED_OVER, self.question)
        return ToolResult(
            status="ANSWERED", text="continue with the operator's answer", operator_words=answer
        )
