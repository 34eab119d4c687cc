"""Ways that were blocked in a mission: as text for a human, and as advice to the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skills import SkillResult
from openral_reasoner.context import plain

MAX_CAUSE = 200
"""Longest cause of a blocked way that reaches a human [characters]; its names come from memory."""
ADVICE: Mapping[ObstacleKind, str] = {
    ObstacleKind.PERSON: "a person stands in the way and did not leave: do another part first, or ask_human",
    ObstacleKind.SHUT_DOOR: "a door between rooms is shut and no skill opens it: ask_human to open it",
    ObstacleKind.FURNITURE: "furniture stands in the way and no skill moves it: ask_human to move it",
    ObstacleKind.NO_GO_ZONE: "a no-go zone covers the only way: ask_human",
    ObstacleKind.UNKNOWN_FLOOR: "the way leads over floor that was not seen yet",
    ObstacleKind.UNKNOWN: "an unknown obstacle stands in the way: ask_human to clear it",
}


@dataclass(frozen=True, slots=True)
class BlockedWays:
    """The obstacle in the way to each target that could not be reached, by the target's id."""

    by_target: Mapping[str, Obstruction] = field(default_factory=lambda: MappingProxyType({}))

    def after(self, target: str, result: SkillResult, *, drove: bool) -> "BlockedWays":
        """Record the obstacle of a result; forget it once the robot ``drove`` to the target."""
        found = Obstruction.of(result.evidence)
        if found is not None:
            return BlockedWays({**self.by_target, target: found})
        if drove and result.success:
            return BlockedWays({key: each for key, each in self.by_target.items() if key != target})
        return self

    def told(self, text: str) -> str:
        """Return a text for a human with every obstacle that it does not name yet.

        Floor that was not seen is left out: its share is told.
        """
        found = {
            each.sentence for each in self.by_target.values() if each.kind is not ObstacleKind.UNKNOWN_FLOOR
        }
        causes = " ".join(cause for cause in map(_full_sentence, sorted(found)) if cause not in text)
        return f"{text} ({causes})" if causes else text

    def advice(self, target: str) -> str:
        """Return what blocks the way to a target and what helps, to follow a text; "" if nothing is known.

        Names are left out: they stand in the skill's own words, which are fenced.
        """
        found = self.by_target.get(target)
        return f": {ADVICE[found.kind]}" if found is not None else ""


def _full_sentence(cause: str) -> str:
    cut = plain(cause, MAX_CAUSE)
    return f"{cut[:1].upper()}{cut[1:]}."
