"""Tool resolve_place."""

import pytest

from openral_core.spatial_memory import ResolveResult, ResolveStatus
from openral_reasoner.commands import CallResolve, Command
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event, Resolved
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.resolve_place import ResolvePlaceTool
from openral_reasoner_testing.fake_peers import HomePeers
from openral_reasoner_testing.simulator import Peers, run_procedure
from openral_reasoner_testing.symbolic_home import SymbolicHome


def resolve(mission: Mission, reference: str, peers: Peers) -> ToolResult:
    reply, _ = run_procedure(mission, ResolvePlaceTool(reference=reference).perform(mission), peers)
    assert isinstance(reply, ToolResult)
    return reply


@pytest.mark.parametrize(
    ("reference", "node", "kind"),
    [("me", "ana", "agent"), ("table", "table_1", "place"), ("kitchen", "kitchen", "room")],
)
def test_a_resolved_reference_becomes_a_target(
    reference: str, node: str, kind: str, mission: Mission, home: SymbolicHome
) -> None:
    reply = resolve(mission, reference, HomePeers(home).answer)
    assert [(each.id, each.kind) for each in reply.found] == [(node, kind)]
    assert node in mission.objects


def test_an_unknown_reference_teaches_nothing(mission: Mission, home: SymbolicHome) -> None:
    reply = resolve(mission, "narnia", HomePeers(home).answer)
    assert (reply.status, reply.found) == ("NOT_FOUND", ())
    assert mission.objects == {}


def test_an_ambiguous_reference_lists_the_candidates(mission: Mission) -> None:
    def memory(command: Command) -> Event | None:
        if not isinstance(command, CallResolve):
            return None
        result = ResolveResult(ResolveStatus.AMBIGUOUS, "two tables", candidates=("table_1", "table_2"))
        return Resolved(call_id=command.call_id, result=result)

    reply = resolve(mission, "table", memory)
    assert (reply.status, reply.valid) == ("AMBIGUOUS", ("table_1", "table_2"))


def test_a_silent_memory_is_a_timeout_and_no_answer(mission: Mission) -> None:
    reply = resolve(mission, "table", lambda command: None)
    assert (reply.status, reply.text) == ("TIMEOUT", "memory did not answer")


def test_is_offered_only_with_memory(palette: ToolPalette) -> None:
    assert ResolvePlaceTool.offered(palette)
    assert not ResolvePlaceTool.offered(palette.model_copy(update={"spatial_memory_available": False}))
