"""Choices that cannot be brought up."""
# MERGED What stands against a choice, gathered, so that it is told at once.

from collections.abc import Callable, Iterable
from typing import TypeVar

from openral_core.errors import OpenRALError


class InvalidDeployment(OpenRALError):
    """Everything that is wrong with what was chosen, in one message, before anything starts."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("this graph cannot be brought up:\n" + "\n".join(f"  - {each}" for each in problems))


T = TypeVar("T")


class Problems:
    """Everything found so far."""

    def __init__(self, found: Iterable[str] = ()) -> None:
        self.found = list(found)

    def attempt(self, make: Callable[[], T], otherwise: T) -> T:
        """What ``make`` gives; when it refuses, its reason is noted and ``otherwise`` stands in for it."""
        try:
            return make()
        except InvalidDeployment as error:
            self.found += error.problems
        except OpenRALError as error:
            self.found.append(str(error))
        return otherwise
