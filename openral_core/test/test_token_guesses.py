"""Wrong tokens keep their sender waiting, and no other client."""

import asyncio

import pytest

from openral_core.token_guesses import (
    FREE_GUESSES,
    HELD_AT_ONCE,
    MAX_ADDRESSES,
    TokenGuesses,
    TokenTooShort,
    check_token,
)

TOKEN = "correct horse battery"


def test_later_wrong_tokens_wait_and_no_other_is_looked_at_meanwhile() -> None:
    async def run() -> None:
        guesses = TokenGuesses(hold=0.05)
        for _ in range(FREE_GUESSES):
            await guesses.punish("a")
        held = [asyncio.ensure_future(guesses.punish("a")) for _ in range(HELD_AT_ONCE)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in held)
        assert not guesses.is_right(TOKEN, TOKEN, "a")
        assert guesses.is_right(TOKEN, TOKEN, "b")
        await asyncio.gather(*held)
        assert guesses.is_right(TOKEN, TOKEN, "a")

    asyncio.run(run())


def test_after_a_minute_an_address_may_err_again() -> None:
    async def run() -> None:
        now = [0.0]
        guesses = TokenGuesses(hold=3600.0, clock=lambda: now[0])
        for _ in range(10):
            for _ in range(FREE_GUESSES):
                await asyncio.wait_for(guesses.punish("a"), 1.0)
            now[0] += 61.0

    asyncio.run(run())


def test_the_addresses_that_are_remembered_are_bounded() -> None:
    async def run() -> None:
        guesses = TokenGuesses(hold=0.0)
        for number in range(MAX_ADDRESSES + 100):
            await guesses.punish(str(number))
        assert len(guesses._records) == MAX_ADDRESSES

    asyncio.run(run())


@pytest.mark.parametrize("guess", ["", TOKEN[:-1], TOKEN + "x", "\ud800", "é" * 21])
def test_another_token_is_wrong(guess: str) -> None:
    assert not TokenGuesses().is_right(guess, TOKEN, "a")


def test_a_short_token_is_refused() -> None:
    check_token("", "--token")
    check_token("x" * 16, "--token")
    with pytest.raises(TokenTooShort, match="--token is too short"):
        check_token("x" * 15, "--token")
