"""Have the dispatcher of a fleet allocate errands to two robots, without ROS.

The robots are what they report: verbs, position, remembered objects.
Usage: tools/env python lab/examples/share_errands.py
"""

from pathlib import Path

from openral_core.missions import MissionState, PromptOutcome
from openral_core.skills import Verb
from openral_fleet.dispatcher import Dispatcher
from openral_fleet.errands import read_errands
from openral_fleet.events import Command, MissionReported, PromptAnswered, RobotReported, SendPrompt
from openral_fleet.records import FleetState
from openral_fleet.robots import RememberedObject, RobotState
from openral_fleet.settings import FleetSettings

ROBOTS = (
    RobotState(
        "/r1", "1", frozenset(Verb), position=(0.0, 0.0), objects=(RememberedObject("mug", 1.0, 0.0),)
    ),
    RobotState(
        "/r2", "1", frozenset(Verb), position=(9.0, 0.0), objects=(RememberedObject("bowl", 8.0, 0.0),)
    ),
)


def main() -> None:
    """Allocate every errand; each robot succeeds at once."""
    errands = read_errands(Path(__file__).with_name("errands.yaml")).errands
    dispatcher = Dispatcher(FleetSettings(), FleetState.of("example", errands, 0.0))
    waiting: list[Command] = []
    for robot in ROBOTS:
        waiting += dispatcher.handle(RobotReported(robot), 0.0)
        waiting += dispatcher.handle(MissionReported(robot.name, "", MissionState.IDLE), 0.0)
    while waiting:
        command = waiting.pop(0)
        if isinstance(command, SendPrompt):
            print(f"{command.robot}: {command.text}")
            name, prompt = command.robot, command.prompt_id
            waiting += dispatcher.handle(PromptAnswered(name, prompt, PromptOutcome.STARTED), 1.0)
            waiting += dispatcher.handle(MissionReported(name, prompt, MissionState.SUCCEEDED), 2.0)
    for record in dispatcher.state.records:
        print(f"{record.id} {record.state.value} by {record.robot}")


if __name__ == "__main__":
    main()
