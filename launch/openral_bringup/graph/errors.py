"""Errors of a deployment, collected so that one message lists all of them."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from openral_core.errors import OpenRALError


class InvalidDeployment(OpenRALError):
    """Invalid deployment; the message lists every problem, before anything is started."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            "Cannot bring up this graph:\n" + "\n".join(f"  - {problem}" for problem in problems)
        )


T = TypeVar("T")


class Problems:
    """Collector of problems."""

    def __init__(self, found: Iterable[str] = ()) -> None:
        self.found = list(found)

    def attempt(self, make: Callable[[], T], fallback: T) -> T:
        """Return what ``make`` returns; if it raises an `OpenRALError`, record it and return ``fallback``."""
        try:
            return make()
        except InvalidDeployment as error:
            self.found += error.problems
        except OpenRALError as error:
            self.found.append(str(error))
        return fallback
