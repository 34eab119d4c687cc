"""Read-only tool plan_deliveries, and the order of deliveries with the shortest way."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.spatial_memory import SceneGraph
from openral_reasoner.commands import Command, ReadScene
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event, SceneRead
from openral_reasoner.mission import Mission
from openral_reasoner.search import RouteLengths
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.deliveries import MAX_EXACT, Leg, PlanDeliveriesTool, shortest_order
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Peers, run_procedure
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

NO_ROUTES = RouteLengths(SceneGraph())
START = (0.0, 0.0, 0.0)
POINTS = st.tuples(st.integers(-9, 9).map(float), st.integers(-9, 9).map(float), st.just(0.0))


def planned(mission: Mission, peers: Peers, *deliveries: tuple[str, str]) -> ToolResult:
    objects, receivers = zip(*deliveries, strict=True)
    call = PlanDeliveriesTool(objects=objects, receivers=receivers)
    reply, _ = run_procedure(mission, call.perform(mission), peers)
    assert isinstance(reply, ToolResult)
    return reply


def length(legs: tuple[Leg, ...], order: tuple[int, ...]) -> float:
    way = (START, *(point for index in order for point in legs[index]))
    return sum(NO_ROUTES.between(one, other) for one, other in pairwise(way))


@given(st.lists(st.tuples(POINTS, POINTS), min_size=1, max_size=4).map(tuple))
def test_no_other_order_has_a_shorter_way(legs: tuple[Leg, ...]) -> None:
    order = shortest_order(legs, START, NO_ROUTES)
    shortest = min(length(legs, other) for other in permutations(range(len(legs))))
    assert length(legs, order) == pytest.approx(shortest)


@given(st.lists(st.tuples(POINTS, POINTS), min_size=MAX_EXACT + 1, max_size=MAX_EXACT + 3).map(tuple))
def test_of_many_deliveries_each_is_done_once(legs: tuple[Leg, ...]) -> None:
    assert sorted(shortest_order(legs, START, NO_ROUTES)) == list(range(len(legs)))


def test_deliveries_of_one_length_keep_the_given_order() -> None:
    leg = ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert shortest_order((leg, leg, leg), START, NO_ROUTES) == (0, 1, 2)


def test_the_nearest_comes_first_and_what_must_be_searched_last(mission: Mission, home: SymbolicHome) -> None:
    home.objects |= {
        "far_1": HomeObject("far_1", "vase", "shelf_1", "vase"),
        "near_1": HomeObject("near_1", "kettle", "counter_1", "kettle"),
    }
    reply = planned(
        mission,
        HomePeers(home).answer,
        ("unicorn", "counter"),
        ("vase", "shelf"),
        ("kettle", "counter"),
    )
    assert reply.status == "PLANNED"
    assert reply.order == (3, 2, 1)
    assert '"order": [3, 2, 1]' in reply.rendered()


def test_the_way_to_open_a_closed_receiver_counts(mission: Mission, home: SymbolicHome) -> None:
    x, y = home.x, home.y
    home.places |= {
        "locker_1": HomePlace("locker_1", "locker", "kitchen", x - 1.0, y, occludes=True),
        "stool_1": HomePlace("stool_1", "stool", "kitchen", x + 1.0, y),
        "rack_1": HomePlace("rack_1", "rack", "kitchen", x + 2.0, y),
        "bench_1": HomePlace("bench_1", "bench", "kitchen", x + 5.0, y),
    }
    home.objects |= {
        "kettle_1": HomeObject("kettle_1", "kettle", "bench_1", "kettle"),
        "vase_1": HomeObject("vase_1", "vase", "stool_1", "vase"),
    }
    wanted = (("kettle", "locker"), ("vase", "rack"))
    assert planned(mission, HomePeers(home).answer, *wanted).order == (1, 2)
    home.places["locker_1"].is_open = True
    assert planned(mission, HomePeers(home).answer, *wanted).order == (2, 1)


def test_a_memory_that_does_not_answer_leaves_the_order_open(mission: Mission) -> None:
    def silent(command: Command) -> Event | None:
        empty = SceneGraph()
        return SceneRead(call_id=command.call_id, graph=empty) if isinstance(command, ReadScene) else None

    reply = planned(mission, silent, ("mug", "table"), ("milk", "fridge"))
    assert (reply.status, reply.order) == ("UNAVAILABLE", ())


def test_every_object_needs_a_receiver(mission: Mission) -> None:
    with pytest.raises(InvalidCall, match="number of receivers '3'; valid: '2'"):
        PlanDeliveriesTool(objects=("mug", "milk"), receivers=("me", "me", "Ana")).check(mission)
