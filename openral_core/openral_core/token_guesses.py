"""Wrong tokens of each address: few at once, and each later one keeps its sender waiting."""

import asyncio
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from openral_core.errors import OpenRALError

MIN_TOKEN = 16
"""Shortest accepted token [characters]: 96 bits in base 64."""
FREE_GUESSES = 5
"""Wrong tokens of an address that are answered at once."""
HOLD = 4.0
"""Time for which each later one waits for its answer [s]; shorter than the patience of a client."""
HELD_AT_ONCE = 2
"""Wrong tokens of one address that wait at a time; while they do, no other one is looked at."""
FORGIVEN_AFTER = 60.0
"""Time without a wrong token after which an address may err again at once [s]."""
MAX_ADDRESSES = 4096
"""Addresses that are remembered."""


class TokenTooShort(OpenRALError):
    """A token that is easily guessed."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is too short: use at least {MIN_TOKEN} characters, or leave it out to have one generated"
        )


def check_token(token: str, name: str) -> None:
    """Check the length of a token that a person chose; none is one that is generated.

    Raises:
        TokenTooShort: If it has fewer than `MIN_TOKEN` characters; it names ``name``, where it was given.
    """
    if token and len(token) < MIN_TOKEN:
        raise TokenTooShort(name)


@dataclass
class _Record:
    wrong: int = 0
    held: int = 0
    last: float = 0.0


@dataclass
class TokenGuesses:
    """Comparison of tokens with the right one, in constant time; nothing that an address does slows another.

    Args:
        hold: Time for which a wrong token beyond the free ones waits [s].
        clock: Monotonic time [s].
    """

    hold: float = HOLD
    clock: Callable[[], float] = time.monotonic
    _records: OrderedDict[str, _Record] = field(default_factory=OrderedDict)

    def is_right(self, guess: str, token: str, address: str) -> bool:
        """Return whether a token is the right one; False, unseen, while the address is blocked."""
        if self.blocks(address):
            return False
        return hmac.compare_digest(guess.encode(errors="replace"), token.encode(errors="replace"))

    def blocks(self, address: str) -> bool:
        """Return whether as many wrong tokens of the address wait as may, so that no other is looked at."""
        record = self._records.get(address)
        return record is not None and record.held >= HELD_AT_ONCE

    async def punish(self, address: str) -> None:
        """Count a wrong token; return when it may be answered."""
        record = self._records.setdefault(address, _Record())
        self._records.move_to_end(address)
        if self.blocks(address):
            return
        now = self.clock()
        record.wrong = 1 if now - record.last > FORGIVEN_AFTER else record.wrong + 1
        record.last = now
        while len(self._records) > MAX_ADDRESSES:
            self._records.popitem(last=False)
        if record.wrong > FREE_GUESSES:
            record.held += 1
            try:
                await asyncio.sleep(self.hold)
            finally:
                record.held -= 1
