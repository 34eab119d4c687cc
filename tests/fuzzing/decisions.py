"""Calls of a decision model against a live palette, and answers of both vendors' endpoints over HTTP."""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import strategies as st
from loopback import EVENTS, Api, endpoint, event, raw

from fuzzing.documents import damaged
from fuzzing.invariants import InvariantBroken
from fuzzing.json_values import ANYTHING, arguments
from fuzzing.message_values import TEXTS
from fuzzing.rig import test_support
from fuzzing.rounds import Door
from openral_core.geometry import Pose
from openral_core.skills import Verb
from openral_reasoner.commands import CallLocate, ChangeState, Command, SendSkill
from openral_reasoner.context import Context, Decision, RawCall
from openral_reasoner.llm.anthropic import AnthropicModel
from openral_reasoner.llm.base import Model, ModelUnavailable, answer_of
from openral_reasoner.llm.openai import OpenAIModel
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.palette.build import GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.base import Tool, parameters
from openral_reasoner.tools.registry import PALETTE, name_of, schemas
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

MOST_CALLS = 6
"""Calls of one mission before the model says that it is done."""
TOOL_SHARE = 2.0
"""A mission without ROS is quick: more cases than for a message."""
DEADLINE = 0.5
"""Deadline of one answer of an endpoint [s]: one that never ends costs as much."""
HEADS = (EVENTS, EVENTS, EVENTS, b"HTTP/1.1 500 x\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"")
GOALS = ("bring me the mug", "find the red mug", "open the fridge", "go to the counter", "wash the mug")


def small_palette() -> tuple[SymbolicHome, ToolPalette]:
    """Return a home, and the palette of a robot in it with two locators, a stream and every skill."""
    part = test_support("openral_reasoner/test/conftest.py")
    places = [
        HomePlace("counter_1", "kitchen counter", "kitchen", 2.0, 0.0, aliases=("counter",)),
        HomePlace("fridge_1", "fridge", "kitchen", 2.0, 4.0, occludes=True),
    ]
    home = SymbolicHome(
        places={place.id: place for place in places},
        objects={"mug_1": HomeObject("mug_1", "red mug", "counter_1", "mug")},
        rooms={"kitchen": "kitchen"},
        agents={"ana": HomePlace("ana", "Ana", "kitchen", 9.0, -2.0)},
    )
    detectors = (
        part.detector("sim-locator", part.Mode.ON_DEMAND, default=True),
        part.detector("other-locator", part.Mode.ON_DEMAND),
        part.detector("sim-stream", part.Mode.CONTINUOUS),
    )
    graph = GraphState(
        detectors=detectors,
        memory_alive=True,
        skill_server_alive=True,
        verbs=tuple(Verb),
        scene=home.graph(),
        peers=("sim-locator", "other-locator"),
    )
    return home, build_palette(graph, part.SKILLS)


def tool_doors() -> Iterator[Door]:
    """Yield one door per tool of the registry: missions whose model calls it oddly."""
    _, palette = small_palette()
    offered = {name_of(tool): _whole_schema(tool, palette) for tool in PALETTE}
    for tool in map(name_of, PALETTE):
        yield Door(f"tool {tool}", partial(_missions, tool, offered), _play, TOOL_SHARE)


def _whole_schema(tool: type[Tool], palette: ToolPalette) -> dict[str, Any]:
    """Return the schema of a tool as pydantic checks it, with the ids of a palette."""
    whole = tool.model_json_schema()
    del whole["properties"]["tool"]
    for name, part in json.loads(parameters(tool, palette))["properties"].items():
        if "enum" in part or name == "parameters":
            whole["properties"][name] = part
    return whole


def _missions(tool: str, offered: dict[str, Any]) -> st.SearchStrategy[Any]:
    def calls_of(name: str) -> st.SearchStrategy[RawCall]:
        written = arguments(offered[name]).map(json.dumps)
        torn = written.map(lambda text: text[: len(text) // 2])
        made = st.one_of(written, written, written, torn, st.sampled_from(TEXTS))
        return made.map(lambda text: RawCall(tool=name, arguments=text))

    unknown = st.sampled_from(TEXTS).map(lambda name: RawCall(tool=name, arguments="{}"))
    others = st.one_of(*map(calls_of, sorted(offered)), unknown)
    rest = st.lists(st.one_of(calls_of(tool), others), max_size=MOST_CALLS - 1)
    return st.tuples(st.sampled_from(GOALS), st.tuples(calls_of(tool), rest).map(lambda p: [p[0], *p[1]]))


def _play(case: tuple[str, list[RawCall]]) -> None:
    goal, calls = case
    home, palette = small_palette()
    left = [*calls, RawCall(tool="done", arguments='{"success": false, "reason": "no calls are left"}')]

    def model(context: Context) -> RawCall:
        return left.pop(0) if len(left) > 1 else left[0]

    settings = MissionSettings(default_requester="ana")
    run = run_mission_in_home(goal, palette, HomePeers(home).answer, model, settings)
    for command in run.commands:
        if problem := outside_palette(command, palette):
            raise InvariantBroken(problem)
        command.model_dump_json()
    if run.end is None:
        raise InvariantBroken("the mission has no end")


def outside_palette(command: Command, palette: ToolPalette) -> str:
    """Return what a command names that the palette does not have, "" if nothing."""
    detectors = {each.id for each in palette.detectors} | {""}
    if isinstance(command, CallLocate):
        if command.detector not in detectors or command.camera not in {*palette.cameras, ""}:
            return f"locate_in_view by {command.detector!r} on {command.camera!r}"
    elif isinstance(command, ChangeState):
        if command.peer not in {*detectors, *palette.peers}:
            return f"transition of {command.peer!r}"
    elif isinstance(command, SendSkill):
        goal = command.goal
        poses = [value for value in goal.params.values() if isinstance(value, Pose)]
        numbers = [number for pose in poses for number in (*pose.position, *pose.orientation)]
        if goal.rskill_id not in {skill.id for skill in palette.skills}:
            return f"goal of skill {goal.rskill_id!r}"
        if not all(map(math.isfinite, numbers)):
            return f"goal with pose {numbers}"
    return ""


@dataclass(frozen=True)
class Wire:
    """An answer as it crosses the wire: its parts, and whether the connection then stays open."""

    parts: tuple[bytes, ...]
    hangs: bool = False


@contextmanager
def endpoint_doors() -> Iterator[tuple[Door, ...]]:
    """Yield one door per vendor: its SDK before an endpoint that answers oddly."""
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        os.environ.pop(variable, None)
        os.environ.pop(variable.upper(), None)
    with endpoint() as (url, script):
        models: dict[str, Model] = {
            "anthropic": AnthropicModel("m-x", url, _no_retries()),
            "openai": OpenAIModel("m-x", f"{url}/v1", _no_retries()),
        }
        yield tuple(
            Door(
                f"endpoint {name}",
                partial(answers, Api(name)),
                partial(_decide, model, script),
            )
            for name, model in models.items()
        )


def _no_retries() -> RetryPolicy:
    return RetryPolicy(DEADLINE, attempts=1, base=0.01, rng=Random(0), sleep=lambda _: None)


def answers(api: Api) -> st.SearchStrategy[Wire]:
    """Return answers of an API with odd members, damaged, torn into parts, or without an end."""
    chunks = api.chunks(("recall_object", '{"query": "mug"}'), text="I look it up")
    paths = [(n, path) for n, chunk in enumerate(chunks) for path in _paths(chunk)]
    changes = st.lists(st.tuples(st.sampled_from(paths), ANYTHING), max_size=3)
    odd = changes.map(lambda made: _encoded(_with_changes(chunks, made), api))
    bent = damaged(_encoded(chunks, api))
    torn = st.lists(st.integers(1, 2000), max_size=8)
    return st.builds(
        _wire,
        st.sampled_from(HEADS),
        st.one_of(odd, odd, bent),
        torn,
        st.sampled_from((False,) * 19 + (True,)),
    )


def _wire(head: bytes, body: bytes, cuts: list[int], hangs: bool) -> Wire:
    places = [0, *sorted({cut for cut in cuts if cut < len(body)}), len(body)]
    parts = [body[a:b] for a, b in pairwise(places)]
    return Wire((head, *parts), hangs)


def _encoded(chunks: list[Any], api: Api) -> bytes:
    body = b"".join(_event(chunk, api) for chunk in chunks)
    return body if api.named else body + b"data: [DONE]\n\n"


def _event(chunk: Any, api: Api) -> bytes:
    if not isinstance(chunk, dict):
        return b"data: 7\n\n"
    name = str(chunk.get("type", "")).encode(errors="replace")[:1000]
    return (b"event: " + name + b"\n" if api.named else b"") + event(chunk, named=False)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from _paths(part, (*path, key))


def _with_changes(chunks: list[Any], changes: list[tuple[tuple[int, tuple[Any, ...]], Any]]) -> list[Any]:
    changed = json.loads(json.dumps(chunks))
    for (number, path), odd in changes:
        holder = changed[number]
        for key in path[:-1]:
            holder = holder[key] if _has(holder, key) else None
        if isinstance(holder, dict | list) and _has(holder, path[-1]):
            holder[path[-1]] = odd
    return list(changed)


def _has(holder: Any, key: Any) -> bool:
    if isinstance(holder, list):
        return isinstance(key, int) and key < len(holder)
    return isinstance(holder, dict) and key in holder


def _decide(model: Model, script: Any, wire: Wire) -> None:
    def answer(handler: Any) -> None:
        raw(*wire.parts)(handler)
        handler.wfile.flush()
        if wire.hangs:
            script.release.wait(2.0 * DEADLINE)

    script.play(answer)
    _, palette = small_palette()
    context = Context(
        system=SYSTEM_PROMPT, goal="find the mug", requester="ana", palette=palette, tools=schemas(palette)
    )
    outcome: Decision | ModelUnavailable
    try:
        outcome = model(context)
    except ModelUnavailable as error:
        outcome = error
    answer_of("call", outcome).model_dump_json()
