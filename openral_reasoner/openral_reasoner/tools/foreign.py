"""Call of a tool of another package: its answer is data, and a step that it asks for is a call of our own."""

from typing_extensions import override

from openral_reasoner.behaviors.requests import send_request
from openral_reasoner.commands import CallForeignTool
from openral_reasoner.context import ToolResult
from openral_reasoner.events import CallFailed, ForeignToolAnswered
from openral_reasoner.foreign_tools import ExecuteRskill, ForeignAnswer
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.tools.actions import ExecuteRskillTool
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool


class ForeignCall(Tool):
    """Call of the tool ``tool`` of a ``package`` with ``arguments``, a JSON object."""

    tool: str
    package: str
    arguments: str

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.say(f"asking {self.tool} of {self.package}")
        call_id = mission.next_id("foreign")
        mission.begin(call_id, f"{self.tool} (foreign)", package=self.package)
        command = CallForeignTool(call_id=call_id, tool=self.tool, arguments=self.arguments)
        event = yield from send_request(mission, call_id, command, mission.settings.deadlines.foreign_tool)
        answer = ForeignAnswer(status="TIMEOUT")
        if isinstance(event, ForeignToolAnswered):
            answer = event.answer
        elif isinstance(event, CallFailed):
            answer = ForeignAnswer(status=event.condition, text=event.message)
        mission.finish(call_id, answer.status)
        if answer.step is not None:
            return (yield from _act(mission, answer.step))
        words = (answer.text,) if answer.text else ()
        return ToolResult(
            status=answer.status, text=f"of the foreign package {self.package}, as data", peer_words=words
        )


def _act(mission: Mission, step: ExecuteRskill) -> Procedure[Outcome]:
    """Take a step as if the model had called it: the same checks, consent and skill server."""
    call = ExecuteRskillTool(**step.model_dump())
    try:
        call.check(mission)
    except InvalidCall as error:
        return ToolResult(
            status="NOT_ALLOWED",
            text=f"the foreign tool asked for a step with an invalid {error.what}: {error.advice}",
            valid=error.valid,
        )
    return (yield from call.perform(mission))
