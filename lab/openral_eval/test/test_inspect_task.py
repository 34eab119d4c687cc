"""Task of inspect_ai, where that is installed: its mock model does missions as the reader does."""

import json
from pathlib import Path
from typing import Any

import pytest

# inspect_ai uses deprecated arguments of its own dependencies.
pytestmark = pytest.mark.filterwarnings("default")
inspect_ai = pytest.importorskip("inspect_ai")

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
    get_model,
)

from openral_eval.inspect_task import openral
from openral_eval.reader.reader import read
from openral_testing.model_server.answers import (
    ModelRequest,
    OfferedTool,
    Part,
    PastCall,
    PastResult,
    UserText,
    Vendor,
)

USAGE = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)


def parts_of(messages: list[Any]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for message in messages:
        if isinstance(message, ChatMessageUser):
            parts.append(UserText(message.text))
        elif isinstance(message, ChatMessageTool):
            parts.append(PastResult(message.tool_call_id, message.text))
        elif isinstance(message, ChatMessageAssistant):
            parts += [PastCall(call.id, call.function, call.arguments) for call in message.tool_calls or ()]
    return tuple(parts)


def respond(messages: list[Any], tools: list[Any], tool_choice: Any, config: Any) -> ModelOutput:
    system = next(message.text for message in messages if isinstance(message, ChatMessageSystem))
    offered = tuple(
        OfferedTool(tool.name, tool.description, tool.parameters.model_dump(exclude_none=True))
        for tool in tools
    )
    (call,) = read(ModelRequest(Vendor.OPENAI, "m", system, offered, parts_of(messages))).calls
    output = ModelOutput.for_tool_call("mockllm/model", call.tool, json.loads(call.arguments))
    output.usage = USAGE  # otherwise the mock model downloads a tokenizer
    return output


def accuracy(model: Any, folder: Path) -> tuple[str, float]:
    (log,) = inspect_ai.eval(
        openral(suite="household", limit=2), model=model, log_dir=str(folder), display="none"
    )
    assert log.results is not None, log.error
    return log.status, log.results.scores[0].metrics["accuracy"].value


@pytest.mark.timeout(300)
def test_missions_are_decided_by_the_model_of_inspect_ai_and_judged_by_ground_truth(tmp_path: Path) -> None:
    assert accuracy(get_model("mockllm/model", custom_outputs=respond), tmp_path) == ("success", 1.0)


@pytest.mark.timeout(300)
def test_a_model_that_answers_with_text_fails_every_mission(tmp_path: Path) -> None:
    def talk(*given: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", "I would rather talk.")
        output.usage = USAGE
        return output

    assert accuracy(get_model("mockllm/model", custom_outputs=talk), tmp_path) == ("success", 0.0)
