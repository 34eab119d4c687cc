"""A wrong call goes back once; the next one in a row is a failure of the model."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Strikes:
    """Failures of the model in this mission; ``warned`` when the last call was wrong."""

    limit: int
    failures: int = 0
    warned: bool = False

    def after_wrong(self) -> "Strikes":
        """A call that could not be used."""
        if not self.warned:
            return replace(self, warned=True)
        return replace(self, failures=self.failures + 1, warned=False)

    def after_failure(self) -> "Strikes":
        """The model gave no call at all."""
        return replace(self, failures=self.failures + 1)

    def after_right(self) -> "Strikes":
        """A call that could be used."""
        return replace(self, warned=False)

    @property
    def out(self) -> bool:
        """Whether a human should be asked."""
        return self.failures >= self.limit
