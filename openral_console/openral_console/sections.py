"""Sections of the console: named JSON values with versions, written by one thread and read by others."""

import json
import time
from collections.abc import Iterable, Mapping
from math import inf
from threading import Lock

Json = object
"""A value that `json.dumps` accepts."""
LARGE = 50_000
"""Size from which a section is sent less often [bytes]."""
LARGE_PERIOD = 1.0
"""Shortest time between two versions of a large section [s]."""
READING = 3.0
"""Time for which a look for new versions counts as reading [s]; an open page looks 20 times a second."""


class Sections:
    """The newest value of every section; a slow reader skips versions and never makes a writer wait."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._texts: dict[str, str] = {}
        self._versions: dict[str, int] = {}
        self._version = 0
        self._read = -inf

    @property
    def is_read(self) -> bool:
        """True while a page follows the changes."""
        return time.monotonic() - self._read < READING

    def put(self, name: str, value: Json) -> bool:
        """Replace a section; return whether it differs from before."""
        text = json.dumps(value, separators=(",", ":"), allow_nan=False, default=_plain)
        with self._lock:
            if self._texts.get(name) == text:
                return False
            self._version += 1
            self._texts[name], self._versions[name] = text, self._version
            return True

    def get(self, name: str) -> Json:
        """Return the value of a section, None if there is none."""
        with self._lock:
            text = self._texts.get(name)
        return None if text is None else json.loads(text)

    def newer(self, sent: Mapping[str, int], due: Mapping[str, float]) -> list[tuple[str, int, str]]:
        """Return (name, version, JSON text) of the sections that a reader has not seen.

        Args:
            sent: Version that the reader has of each section.
            due: Time on the monotonic clock before which a section is not sent again [s].
        """
        self._read = now = time.monotonic()
        with self._lock:
            return [
                (name, version, self._texts[name])
                for name, version in self._versions.items()
                if version > sent.get(name, 0) and now >= due.get(name, 0.0)
            ]

    def as_json(self) -> str:
        """Return all sections as one JSON object."""
        with self._lock:
            return "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in self._texts.items()) + "}"


def pause_after(text: str) -> float:
    """Return how long a section rests after it was sent [s]."""
    return LARGE_PERIOD if len(text) > LARGE else 0.0


def finite(number: float, digits: int = 3) -> float | None:
    """Round a number for a page; None if it is infinite or not a number."""
    value = float(number)
    return round(value, digits) if value - value == 0.0 else None


def numbers(values: Iterable[float], digits: int = 3) -> list[float | None]:
    """Round numbers for a page."""
    return [finite(value, digits) for value in values]


def _plain(value: object) -> object:
    """Return a number of another library as Python's; anything else as text."""
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)
