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
        tools=schemas(mission.palette, tuple(mission.things)),
        turns=tuple(mission.turns),
        news=news,
        operator_words=answered,
        holding=_holding(mission),
        remaining=mission.remaining(),
    )


def _holding(mission: Mission) -> str:
    """What this mission took, by its id; else what the skill server says it holds, since an earlier one."""
    held = mission.things.get(mission.holding)
    return f"{held.label} ({held.id})" if held is not None else mission.palette.holding[:200]
