"""Knowledge of a mission about the floor: the share that was seen, and the ways that are blocked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skills import SkillResult
from openral_reasoner.context import plain


@dataclass(frozen=True, slots=True)
class FloorKnowledge:
    """Knowledge of the reachable floor of the home: share that was ``seen``, None if it is not known.

    ``complete`` if the last exploration found no place that promises more; ``lacked`` if a skill failed for
    want of known floor; ``rounds`` counts the explorations on the way to something else.
    """

    seen: float | None = None
    complete: bool = False
    lacked: bool = False
    rounds: int = 0

    @property
    def words(self) -> str:
        """Text on the shares that were seen and not."""
        if self.seen is None:
            return "the share of the floor that was seen is not known: the robot has not explored"
        share = round(100.0 * self.seen)
        return f"about {share} % of the reachable floor was seen, {100 - share} % was not"

    def with_unseen_share(self, question: str) -> str:
        """Return a question with what was never seen, if something is known to be missing."""
        unfinished = self.lacked or (self.seen is not None and not self.complete)
        return f"{question} ({self.words[0].upper()}{self.words[1:]}.)" if unfinished else question


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
        obstacle = Obstruction.of(result.evidence)
        if obstacle is not None:
            return BlockedWays({**self.by_target, target: obstacle})
        if drove and result.success:
            return BlockedWays({key: each for key, each in self.by_target.items() if key != target})
        return self

    def with_obstacles(self, text: str) -> str:
        """Return a text for a human with every obstacle that it does not name yet.

        Floor that was not seen is left out: its share is told.
        """
        sentences = {
            each.sentence for each in self.by_target.values() if each.kind is not ObstacleKind.UNKNOWN_FLOOR
        }
        causes = " ".join(cause for cause in map(_full_sentence, sorted(sentences)) if cause not in text)
        return f"{text} ({causes})" if causes else text

    def advice(self, target: str) -> str:
        """Return what blocks the way to a target and what helps, to follow a text; "" if nothing is known.

        Names are left out: they stand in the skill's own words, which are fenced.
        """
        obstacle = self.by_target.get(target)
        return f": {ADVICE[obstacle.kind]}" if obstacle is not None else ""


def _full_sentence(cause: str) -> str:
    cut = plain(cause, MAX_CAUSE)
    return f"{cut[:1].upper()}{cut[1:]}."
