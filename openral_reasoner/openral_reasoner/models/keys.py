"""Keys come from the environment and go nowhere else."""

import os
from collections.abc import Mapping

from openral_core.errors import OpenRALError


class MissingKey(OpenRALError):
    """A vendor's endpoint without a key."""

    def __init__(self, brain: str, variable: str) -> None:
        super().__init__(
            f"brain {brain!r} needs a key: set the environment variable {variable}, give base_url of an "
            "endpoint that needs none, or choose brain 'scripted'"
        )


def key_for(brain: str, variable: str, base_url: str, environment: Mapping[str, str] = os.environ) -> str:
    """The key; endpoints of one's own may need none.

    Raises:
        MissingKey: If the vendor's own endpoint is meant and there is no key.
    """
    key = environment.get(variable, "")
    if not key and not base_url:
        raise MissingKey(brain, variable)
    return key or "none"


def redacted(words: str, key: str) -> str:
    """The words without the key."""
    return words.replace(key, "***") if len(key) > 4 else words
