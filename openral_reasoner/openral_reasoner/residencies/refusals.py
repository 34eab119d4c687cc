"""Why memory cannot be had.

ResidencyRefused
├── UnknownResident   nobody of that name
├── NoRoom            it does not fit beside what must stay
└── TooSoon           it fits as soon as what has just come may go again
"""

from openral_core.errors import OpenRALError, listed


class ResidencyRefused(OpenRALError):
    """Base: what was asked cannot be resident now."""


class UnknownResident(ResidencyRefused):
    """Not one of the peers."""

    def __init__(self, asked: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no peer {asked!r}: peers are {listed(known)}")


class NoRoom(ResidencyRefused):
    """Even with everything gone that may go, it does not fit."""

    def __init__(self, asked: str, needed: float, budget: float, stays: tuple[str, ...]) -> None:
        beside = f" beside {listed(stays)}, which must stay" if stays else ""
        super().__init__(f"{asked} needs {needed:.0f} MB and does not fit in {budget:.0f} MB{beside}")


class TooSoon(ResidencyRefused):
    """It has to wait until peers have had their least time; ``until`` in [s]."""

    def __init__(self, asked: str, until: float, protected: tuple[str, ...]) -> None:
        self.until = until
        super().__init__(f"{asked} has to wait: {listed(protected)} came only just now")
