"""Problems of a deployment; the flags in their text are spelled where a problem is shown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from openral_core.errors import OpenRALError


@dataclass(frozen=True, slots=True)
class Flag:
    """Option in the text of a problem, by the name of its flag, with the value that it has or should have."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"--{self.name.replace('_', '-')}" + (f" {self.value}" if self.value else "")


class Problem:
    """Problem of a deployment: text and the flags in it, in order; `str` spells them for the command line."""

    def __init__(self, *parts: str | Flag) -> None:
        self.parts = parts

    def __str__(self) -> str:
        return self.spelled(str)

    def spelled(self, spell: Callable[[Flag], str]) -> str:
        """Return the text with each flag as ``spell`` writes it."""
        return "".join(spell(part) if isinstance(part, Flag) else part for part in self.parts)


class InvalidOption(OpenRALError):
    """Invalid value of one option."""

    def __init__(self, *parts: str | Flag) -> None:
        self.problem = Problem(*parts)
        super().__init__(str(self.problem))


class InvalidDeployment(OpenRALError):
    """Invalid deployment; the message lists every problem, before anything is started."""

    def __init__(self, problems: Iterable[Problem], spell: Callable[[Flag], str] = str) -> None:
        self.problems = tuple(problems)
        lines = [f"\n  - {problem.spelled(spell)}" for problem in self.problems]
        super().__init__("Cannot bring up this graph:" + "".join(lines))


T = TypeVar("T")


class Problems:
    """Collector of problems."""

    def __init__(self, earlier: Iterable[Problem] = ()) -> None:
        self.collected = list(earlier)

    def attempt(self, make: Callable[[], T], fallback: T) -> T:
        """Return what ``make`` returns; if it raises an `OpenRALError`, record it and return ``fallback``."""
        try:
            return make()
        except InvalidDeployment as error:
            self.collected += error.problems
        except InvalidOption as error:
            self.collected.append(error.problem)
        except OpenRALError as error:
            self.collected.append(Problem(str(error)))
        return fallback
