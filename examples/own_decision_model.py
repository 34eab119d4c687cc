"""A decision model of your own: a function from the context of a mission to one tool call.

Policy, budgets and checks are the core's, so a model can be as simple as this one: ask memory, drive
there, verify with the locator, report.

Usage: tools/env python examples/own_decision_model.py "find the mug"
"""

import json
import sys

from kitchen import kitchen, palette_of

from openral_core.missions import MissionState
from openral_reasoner.context import Context, RawCall
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home


def decide(context: Context) -> RawCall:
    """Choose the next tool call: recall, drive there, look, verify, report."""
    query = context.goal.removeprefix("find the ")
    match [turn.tool for turn in context.turns]:
        case []:
            return call("recall_object", query=query)
        case ["recall_object"] if context.turns[0].reply.found:
            target = context.turns[0].reply.found[0].id
            return call("execute_rskill", rskill_id="navigate", target=target)
        case ["recall_object", "execute_rskill"]:
            return call("locate_in_view", query=query)
    status = context.turns[-1].reply.status
    return call("done", success=status == "FOUND", message=f"{query}: {status}")


def call(tool: str, **arguments: object) -> RawCall:
    """One tool call as a model writes it."""
    return RawCall(tool=tool, arguments=json.dumps(arguments))


def main(goal: str) -> int:
    """Run one mission in a symbolic kitchen; 0 if it succeeded."""
    home = kitchen()
    run = run_mission_in_home(goal, palette_of(home), HomePeers(home).answer, decide, MissionSettings())
    if run.end is None:
        return 1
    print(f"{run.end.state.name}: {run.end.reason}")
    return 0 if run.end.state is MissionState.SUCCEEDED else 1


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "find the mug"))
