"""What one decision rests on."""

from openral_reasoner.exchanges.turns import Context
from openral_reasoner.missions.words import SYSTEM
from openral_reasoner.procedures.mission import Mission
from openral_reasoner.tools import schemas


def context(mission: Mission) -> Context:
    """The mission for the model; the news is told once."""
    news, mission.news = tuple(mission.news), []
    answered, mission.operator_words = mission.operator_words, ""
    return Context(
        system=SYSTEM,
        goal=mission.prompt.text,
        requester=mission.requester,
        palette=mission.palette,
        tools=schemas(mission.palette),
        turns=tuple(mission.turns),
        news=news,
        operator_words=answered,
        remaining=mission.remaining(),
    )
