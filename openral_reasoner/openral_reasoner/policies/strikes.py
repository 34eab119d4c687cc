"""A wrong call goes back; the model that cannot mend it is given up in time."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Strikes:
    """Failures of the model in this mission, and what was wrong with its last calls.

    The first wrong call in a row goes back, the next is a failure. The same fault ``limit`` times in a row is
    the end too.
    """

    limit: int
    failures: int = 0
    warned: bool = False
    fault: str = ""
    repeated: int = 0

    def after_wrong(self, fault: str) -> "Strikes":
        """A call that could not be used, and why."""
        repeated = self.repeated + 1 if fault == self.fault else 1
        failures = self.failures + 1 if self.warned else self.failures
        return replace(self, failures=failures, warned=not self.warned, fault=fault, repeated=repeated)

    def after_failure(self) -> "Strikes":
        """The model gave no call at all."""
        return replace(self, failures=self.failures + 1)

    def after_right(self) -> "Strikes":
        """A call that could be used."""
        return replace(self, warned=False, fault="", repeated=0)

    @property
    def out(self) -> bool:
        """Whether a human should be asked."""
        return self.failures >= self.limit or self.repeated >= self.limit
