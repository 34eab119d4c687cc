"""Acting tools with the real reasoner: goals, progress, cancellation, questions, approval, stop."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer

Call = Callable[..., Any]
CLIENTS = pytest.mark.parametrize("mode", ["legacy", "auto"])


def run_with(server: MCPServer, work: Callable[[Client], Any], mode: str = "auto") -> Any:
    async def main() -> Any:
        async with Client(server, cache=None, mode=mode) as client:
            return await work(client)

    return anyio.run(main)


@CLIENTS
def test_a_goal_is_reached_with_progress_and_evidence(
    graph: Any, prompts: list[Any], make_reasoner: Call, serve: Call, call: Call, mode: str
) -> None:
    make_reasoner()
    told: list[tuple[float, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, message))

    async def work(client: Client) -> Any:
        result = await client.call_tool(
            "start_mission", {"goal": "find the mug", "wait": 60.0}, progress_callback=progress
        )
        return result.structured_content

    with serve(allow_missions=True) as server:
        reply = run_with(server, work, mode)
    assert reply["status"] == "SUCCEEDED", reply
    assert reply["evidence"]
    assert reply["calls"][0]["tool"] == "recall_object"
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert any("ACTIVE" in (message or "") for _, message in told)
    assert [(prompt.text, prompt.header.frame_id) for prompt in {p.id: p for p in prompts}.values()] == [
        ("find the mug", "operator")
    ]


@CLIENTS
def test_a_cancelled_call_stops_the_robot(
    graph: Any,
    prompts: list[Any],
    spinner: Any,
    make_reasoner: Call,
    serve: Call,
    call: Call,
    wait_until: Call,
    mode: str,
) -> None:
    make_reasoner()
    graph.hold_skills = True

    async def work(client: Client) -> Any:
        with anyio.move_on_after(30.0) as patience:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "start_mission", {"goal": "go to the dining table"})
                await anyio.to_thread.run_sync(lambda: wait_until(lambda: bool(graph.goals)))
                tasks.cancel_scope.cancel()
        assert not patience.cancelled_caught
        await anyio.to_thread.run_sync(lambda: wait_until(lambda: graph.cancel_asked))
        await anyio.to_thread.run_sync(lambda: spinner.do(lambda: graph.held.set_result(None)))
        with anyio.fail_after(20.0):
            while (reply := await call(client, "mission_status"))["status"] != "CANCELLED":
                await anyio.sleep(0.1)
        return reply

    with serve(allow_missions=True) as server:
        reply = run_with(server, work, mode)
    assert "stopped by the operator" in reply["reason"]
    assert prompts[-1].text == "stop"


def test_a_mission_that_takes_longer_than_the_wait_continues_until_stop(
    graph: Any, spinner: Any, make_reasoner: Call, serve: Call, call: Call, wait_until: Call
) -> None:
    make_reasoner()
    graph.hold_skills = True

    async def work(client: Client) -> list[dict[str, Any]]:
        begun = await call(client, "start_mission", goal="go to the dining table", wait=0.0)
        await anyio.to_thread.run_sync(lambda: wait_until(lambda: bool(graph.goals)))
        running = await status_of(client, begun["mission_id"])
        stopped = await call(client, "stop")
        await anyio.to_thread.run_sync(lambda: wait_until(lambda: graph.cancel_asked))
        return [begun, running, stopped]

    async def status_of(client: Client, mission: str) -> dict[str, Any]:
        with anyio.fail_after(30.0):  # the reasoner's report may come after its goal
            while (status := await call(client, "mission_status", mission_id=mission))["status"] == "UNKNOWN":
                await anyio.sleep(0.05)
        return dict(status)

    with serve(allow_missions=True) as server:
        begun, running, stopped = run_with(server, work)
    spinner.do(lambda: graph.held.set_result(None))
    assert begun["status"] in ("STARTED", "ACTIVE")
    assert running["status"] == "ACTIVE"
    assert stopped["status"] == "STOPPED"
    assert stopped["mission_id"] == begun["mission_id"]


def test_a_question_of_the_robot_can_be_answered(
    graph: Any, make_reasoner: Call, serve: Call, call: Call
) -> None:
    make_reasoner(handoff_timeout=60.0, candidates=1)

    async def work(client: Client) -> list[dict[str, Any]]:
        asked = await call(client, "start_mission", goal="find the unicorn", wait=60.0)
        wrong = await call(client, "answer", question_id="no such", text="here")
        given = await call(client, "answer", question_id=asked["question"]["id"], text="give up", wait=60.0)
        return [asked, wrong, given]

    with serve(allow_missions=True) as server:
        asked, wrong, given = run_with(server, work)
    assert asked["status"] == "WAITING_FOR_HUMAN"
    assert not asked["question"]["for_operator"]
    assert wrong["status"] == "UNKNOWN_QUESTION"
    assert given["mission_id"] == asked["mission_id"]
    assert given["status"] in ("FAILED", "HANDED_OVER", "CANCELLED"), given


def test_no_other_agent_can_approve_a_movement(
    graph: Any, prompts: list[Any], make_reasoner: Call, serve: Call, call: Call
) -> None:
    make_reasoner(require_approval=True)

    async def work(client: Client) -> list[dict[str, Any]]:
        asked = await call(client, "start_mission", goal="go to the dining table", wait=60.0)
        question = asked["question"]["id"]
        replies = [await call(client, "answer", question_id=question, text=text) for text in ("yes", "ok")]
        return [asked, *replies, await call(client, "stop")]

    with serve(allow_missions=True) as server:
        asked, *refused, stopped = run_with(server, work)
    assert asked["question"]["for_operator"]
    assert [reply["status"] for reply in refused] == ["NEEDS_OPERATOR"] * 2
    assert stopped["status"] == "STOPPED"
    assert graph.goals == []
    assert {prompt.text for prompt in prompts} == {"go to the dining table", "stop"}


def test_without_a_reasoner_a_goal_is_not_acknowledged(
    graph: Any, serve: Call, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openral_mcp.missions.RECEIPT_TIMEOUT", 1.0)

    async def work(client: Client) -> list[dict[str, Any]]:
        return [await call(client, "start_mission", goal="find the mug"), await call(client, "stop")]

    with serve(allow_missions=True) as server:
        replies = run_with(server, work)
    assert [reply["status"] for reply in replies] == ["NOT_ACKNOWLEDGED"] * 2
    assert "reasoner" in replies[0]["unavailable"]


def test_a_reasoner_that_dies_during_a_mission_is_noticed(
    graph: Any,
    spinner: Any,
    make_reasoner: Call,
    serve: Call,
    call: Call,
    wait_until: Call,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("openral_reasoner_ros.mission_client.SILENCE_TIMEOUT", 2.0)
    reasoner = make_reasoner()
    graph.hold_skills = True
    replies: list[dict[str, Any]] = []

    async def work(client: Client) -> None:
        async def start() -> None:
            replies.append(await call(client, "start_mission", goal="go to the dining table"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(start)
            await anyio.to_thread.run_sync(lambda: wait_until(lambda: bool(graph.goals)))
            await anyio.to_thread.run_sync(lambda: spinner.do(lambda: spinner.silence(reasoner)))

    with serve(allow_missions=True) as server:
        run_with(server, work)
    spinner.do(lambda: graph.held.set_result(None))
    assert replies[0]["status"] == "MISSION_LOST"
    assert replies[0]["unavailable"] == ["reasoner"]
