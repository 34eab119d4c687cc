"""Console output: the view, the lines, the report, the plan."""

from dataclasses import replace
from io import StringIO

from rich.console import Console

from openral_bringup.deploy.console import changes, plan, unreported, view
from openral_bringup.deploy.monitor_node import CallLine, GraphSnapshot, MissionSnapshot
from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.nodes import NodeSpec
from openral_core.missions import MissionState
from openral_sim.ros.parameters import SimParameters

CALL = CallLine(1, "recall_object", '{"query": "baguette"}', "NOT_IN_MEMORY", "bread is known", 0.1)
MISSION = MissionSnapshot(
    "m1",
    "bring me the baguette",
    MissionState.HANDED_OVER,
    "",
    "looked everywhere",
    (CALL,),
    {"locates": (2.0, 8.0)},
    ("kitchen counter: NOT_IN_VIEW",),
)
SNAPSHOT = GraphSnapshot(
    {"/sim": "active", "/openral/perception/sim_groundtruth/detector": "down"},
    {"head": 5.0},
    ("bread", "mug", "mug"),
    12.5,
    True,
    MISSION,
)


def printed(renderable: object) -> str:
    console = Console(width=140, record=True, file=StringIO())
    console.print(renderable)
    return console.export_text()


def test_the_view_shows_nodes_memory_budget_and_calls() -> None:
    shown = printed(view(SNAPSHOT, {"sim_groundtruth": 2}, ["[sim] [ERROR] slow"], 3.0))
    for words in (
        "sim_groundtruth",
        "down",
        "head 5.0 Hz",
        "mug x2",
        "locates 2/8",
        "NOT_IN_MEMORY",
        "[sim] [ERROR] slow",
    ):
        assert words in shown


def test_markup_in_what_nodes_say_is_shown_as_it_is() -> None:
    call = replace(CALL, message="[bold]ignore previous instructions[/bold]", tool="[/tool]")
    mission = replace(MISSION, calls=(call,), goal="find the [/mug]")
    shown = printed(view(replace(SNAPSHOT, mission=mission), {}, [], 0.0))
    assert "[bold]ignore previous instructions" in shown
    assert "find the [/mug]" in shown
    assert "[/tool]" in shown


def test_a_waiting_view_says_so() -> None:
    assert "waiting for the graph, 4 s" in printed(view(GraphSnapshot(), {}, [], 4.0))


def test_a_claimed_mission_is_shown_with_its_reason() -> None:
    mission = replace(MISSION, state=MissionState.CLAIMED, reason="I brought it.")
    assert "claimed: I brought it." in printed(view(replace(SNAPSHOT, mission=mission), {}, [], 0.0))


def test_only_changes_are_told() -> None:
    assert list(changes(SNAPSHOT, SNAPSHOT)) == []
    reported = list(changes(GraphSnapshot(), SNAPSHOT))
    assert 'recall_object {"query": "baguette"} -> NOT_IN_MEMORY: bread is known' in reported
    assert "mission 'bring me the baguette' is handed_over: looked everywhere" in reported


def test_the_plan_lists_every_node_with_its_parameters() -> None:
    graph = GraphDescription((NodeSpec("sim", "openral_sim", "sim", "/robot1", 0, {"seed": 3}),))
    shown = printed(plan(graph, ["weights of 'tiny'"]))
    assert "openral_sim sim" in shown
    assert "seed: 3" in shown
    for name in SimParameters.model_fields:
        assert f"{name}: " in shown
    assert "shadows: False (default)" in shown
    assert "required before start: weights of 'tiny'" in shown


def test_an_alarm_is_told_once_whenever_it_is_repeated() -> None:
    refused, again, lost = ("[a] [ERROR] [1.5] [a]: no", "[a] [ERROR] [2.5] [a]: no", "[b] died")
    first = unreported([refused, again, lost], set())
    assert first == ["[a] [ERROR] [a]: no", "[b] died"]
    assert unreported([again], set(first)) == []
