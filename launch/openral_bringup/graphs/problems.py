"""What stands against a choice, gathered, so that it is told at once."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from openral_bringup.graphs.impossible import ImpossibleChoices
from openral_core.errors import OpenRALError

T = TypeVar("T")


class Problems:
    """Everything found so far."""

    def __init__(self, found: Iterable[str] = ()) -> None:
        self.found = list(found)

    def attempt(self, make: Callable[[], T], otherwise: T) -> T:
        """What ``make`` gives; when it refuses, its reason is noted and ``otherwise`` stands in for it."""
        try:
            return make()
        except ImpossibleChoices as error:
            self.found += error.problems
        except OpenRALError as error:
            self.found.append(str(error))
        return otherwise
