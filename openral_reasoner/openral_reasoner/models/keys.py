"""Keys come from the environment and go nowhere else."""

import os
from collections.abc import Mapping

from openral_core.errors import OpenRALError

KEY_VARIABLES: Mapping[str, str] = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
"""The environment variable that holds each vendor's key, as its own SDK names it."""


class MissingKey(OpenRALError):
    """A vendor's endpoint without a key."""

    def __init__(self, brain: str) -> None:
        super().__init__(
            f"brain {brain!r} needs a key: set the environment variable {KEY_VARIABLES[brain]}, "
            "give base_url of an endpoint that needs none, or choose brain 'scripted'"
        )


def key_for(brain: str, base_url: str, environment: Mapping[str, str] = os.environ) -> str:
    """The key; endpoints of one's own may need none.

    Raises:
        MissingKey: If the vendor's own endpoint is meant and there is no key.
    """
    key = environment.get(KEY_VARIABLES[brain], "")
    if not key and not base_url:
        raise MissingKey(brain)
    return key or "none"


def redacted(words: str, key: str) -> str:
    """The words without the key."""
    return words.replace(key, "***") if len(key) > 4 else words
