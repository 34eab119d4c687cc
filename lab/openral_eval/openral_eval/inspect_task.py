"""Suites as a task of inspect_ai: missions of the real core decided by any model that inspect_ai knows.

Needs lab/requirements/inspect.txt::

    inspect eval openral_eval/inspect_task.py --model MODEL -T suite=household --epochs 8
"""

import json
from dataclasses import asdict
from functools import partial

from anyio import from_thread, to_thread
from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams

from openral_eval.metering import MeteredModel
from openral_eval.suites.registry import SUITES
from openral_eval.suites.tasks import SuiteOptions, SuiteTask, TaskVerdict
from openral_reasoner.context import Context, Decision, RawCall, ToolSchema, Turn
from openral_reasoner.llm.base import NO_CALL, arguments_of, exchanges, usable
from openral_reasoner.settings import MissionSettings

VERDICT = "verdict"
"""Key of the verdict in a sample's store."""


@task
def openral(suite: str = "household", seed: int = 0, limit: int = 0) -> InspectTask:
    """Return the tasks of a suite; trials are the epochs of inspect_ai."""
    options = SuiteOptions(seed, limit)
    samples = [
        Sample(input=each.goal, id=each.name, target="done", metadata=asdict(each))
        for each in SUITES[suite].tasks(options)
    ]
    return InspectTask(MemoryDataset(samples, name=suite), solver=mission(options), scorer=ground_truth())


@solver
def mission(options: SuiteOptions) -> Solver:
    """Solve a sample by a mission of the real core, in a thread; the model decides."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        each = SuiteTask(**state.metadata)
        meter = MeteredModel(partial(decide, state, get_model()))
        run = SUITES[each.suite].run
        verdict = await to_thread.run_sync(run, each, options, meter, MissionSettings())
        state.store.set(VERDICT, asdict(verdict) | {"malformed": meter.malformed, "refused": meter.refused})
        state.completed = True
        return state

    return solve


def decide(state: TaskState, model: Model, context: Context) -> Decision:
    """Ask the model of inspect_ai for one decision, from the thread of the mission."""
    messages, tools = chat_messages(context), [tool_info(each) for each in context.tools]
    output: ModelOutput = from_thread.run(partial(model.generate, messages, tools, "any"))
    state.messages, state.output = [*messages, output.message], output
    calls = tuple(
        RawCall(tool=call.function, arguments=json.dumps(call.arguments))
        for call in output.message.tool_calls or ()
    )
    usage = output.usage
    return Decision(
        calls=calls,
        text=output.completion,
        tokens=usage.total_tokens if usage else 0,
        read=usage.input_tokens if usage else 0,
        written=usage.output_tokens if usage else 0,
        model=output.model,
        cached=(usage.input_tokens_cache_read or 0) if usage else 0,
        cut=output.stop_reason in ("max_tokens", "model_length"),
    )


def chat_messages(context: Context) -> list[ChatMessage]:
    """Render a context as messages; every tool call has its result."""
    result: list[ChatMessage] = [ChatMessageSystem(content=context.system)]
    for each in exchanges(context):
        if each.turn is None:
            result.append(ChatMessageUser(content=each.whole))
        else:
            result += _turn(each.turn, each.whole)
    return result


def _turn(turn: Turn, words: str) -> list[ChatMessage]:
    if not usable(turn):
        return [ChatMessageAssistant(content=NO_CALL), ChatMessageUser(content=words)]
    call = ToolCall(id=turn.call_id, function=turn.tool, arguments=dict(arguments_of(turn)))
    return [
        ChatMessageAssistant(content="", tool_calls=[call]),
        ChatMessageTool(content=words, tool_call_id=turn.call_id, function=turn.tool),
    ]


def tool_info(schema: ToolSchema) -> ToolInfo:
    """Render an offered tool."""
    parameters = ToolParams.model_validate(json.loads(schema.parameters))
    return ToolInfo(name=schema.name, description=schema.description, parameters=parameters)


@scorer(metrics=[accuracy(), stderr()])
def ground_truth() -> Scorer:
    """Score a mission by the ground truth of its home."""

    async def score(state: TaskState, target: Target) -> Score:
        stored = dict(state.store.get(VERDICT))
        verdict = TaskVerdict(**{name: stored[name] for name in TaskVerdict.__slots__})
        metadata = {name: value for name, value in stored.items() if name != "messages"}
        answer = " ".join(verdict.messages)
        return Score(
            value="C" if verdict.success else "I",
            answer=answer,
            explanation=f"{verdict.failure or 'done'} {verdict.detail}".strip(),
            metadata=metadata,
        )

    return score
