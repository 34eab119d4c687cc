"""Plays one mission: a core, a model and peers, with a clock that is only counted."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from openral_reasoner.exchanges.commands import AskModel, Command, EndMission, SendSkill
from openral_reasoner.exchanges.events import Event, ModelAnswered, PaletteChanged, PromptReceived
from openral_reasoner.exchanges.turns import Context, RawCall
from openral_reasoner.missions import Core
from openral_reasoner.palettes import ToolPalette
from openral_reasoner.procedures.settings import MissionSettings

Peers = Callable[[Command], Event | None]
Model = Callable[[Context], RawCall]
LOOK_TIME = 0.2
SKILL_TIME = 5.0


@dataclass
class Play:
    """Everything that happened: ``log`` holds each event with the commands it led to."""

    log: list[tuple[float, Event, tuple[Command, ...]]] = field(default_factory=list)
    end: EndMission | None = None

    @property
    def commands(self) -> list[Command]:
        """Every command in order."""
        return [command for _, _, batch in self.log for command in batch]

    @property
    def skills(self) -> list[str]:
        """Ids of the skills sent, in order."""
        return [c.goal.rskill_id for c in self.commands if isinstance(c, SendSkill)]


def play(
    goal: str,
    palette: ToolPalette,
    peers: Peers,
    model: Model,
    settings: MissionSettings,
    requester: str = "",
) -> Play:
    """One mission from its prompt to its end."""
    core, result, now = Core(settings), Play(), 0.0
    waiting: deque[Event] = deque()
    waiting.append(PaletteChanged(palette=palette))
    waiting.append(PromptReceived(id="prompt-1", text=goal, requester=requester))
    while waiting and result.end is None:
        event = waiting.popleft()
        batch = core.handle(event, now)
        result.log.append((now, event, batch))
        for command in batch:
            now += SKILL_TIME if isinstance(command, SendSkill) else LOOK_TIME
            if isinstance(command, EndMission):
                result.end = command
            answer = _decided(command, model) if isinstance(command, AskModel) else peers(command)
            if answer is not None:
                waiting.append(answer)
    return result


def _decided(command: AskModel, model: Model) -> Event:
    return ModelAnswered(call_id=command.call_id, calls=(model(command.context),))
