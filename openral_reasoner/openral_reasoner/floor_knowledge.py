"""Knowledge of a mission about the reachable floor."""

from dataclasses import dataclass


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
        seen = round(100.0 * self.seen)
        return f"about {seen} % of the reachable floor was seen, {100 - seen} % was not"

    def told(self, question: str) -> str:
        """Return a question with what was never seen, if something is known to be missing."""
        unfinished = self.lacked or (self.seen is not None and not self.complete)
        return f"{question} ({self.words[0].upper()}{self.words[1:]}.)" if unfinished else question
