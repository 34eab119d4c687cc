"""Plays one mission of a symbolic home: a core, a model and peers that need a little while each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from openral_reasoner.exchanges.commands import AskModel, Command, EndMission, SendSkill
from openral_reasoner.exchanges.events import Event, ModelAnswered, PaletteChanged, PromptReceived
from openral_reasoner.exchanges.turns import Context, RawCall
from openral_reasoner.homes.timeline import Answer, Moment, Timeline
from openral_reasoner.missions import Core
from openral_reasoner.palettes import ToolPalette
from openral_reasoner.procedures.settings import MissionSettings

Peers = Callable[[Command], Event | None]
Model = Callable[[Context], RawCall]
LOOK_TIME = 0.2
SKILL_TIME = 5.0


@dataclass
class Play:
    """Everything that happened."""

    moments: list[Moment] = field(default_factory=list)
    end: EndMission | None = None

    @property
    def commands(self) -> list[Command]:
        """Every command in order."""
        return [command for moment in self.moments for command in moment.commands]

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

    def answers(command: Command, now: float) -> Iterator[Answer]:
        answer = _decided(command, model) if isinstance(command, AskModel) else peers(command)
        if answer is not None:
            yield SKILL_TIME if isinstance(command, SendSkill) else LOOK_TIME, answer

    line = Timeline(Core(settings), answers)
    line.put(0.0, PaletteChanged(palette=palette))
    line.put(0.0, PromptReceived(id="prompt-1", text=goal, requester=requester))
    ends = line.run()
    return Play(line.moments, ends[0] if ends else None)


def _decided(command: AskModel, model: Model) -> Event:
    return ModelAnswered(call_id=command.call_id, calls=(model(command.context),))
