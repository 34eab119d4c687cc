"""Prompt caches of two vendors, with estimated tokens: what of a request's input was seen before.

Sources: prompt caching in the documentation of the Claude API (breakpoints, hits up to 20 blocks before one,
at least 1,024 tokens) and of the OpenAI API (longest common prefix, at least 1,024 tokens, in steps of 128).
Expiry is not imitated.
"""

import json
from collections.abc import Sequence
from typing import Any

from openral_testing.model_server.answers import Vendor
from openral_testing.model_server.wire_formats import Usage

CHARACTERS_PER_TOKEN = 4.0
"""Usual length of a token of English text and JSON [characters]; the vendors' tokenizers are not used."""
MIN_TOKENS = 1024
"""Shortest prefix that is cached [tokens]."""
STEP = 128
"""Steps in which OpenAI counts a cached prefix [tokens]."""
LOOKBACK = 20
"""Blocks before a breakpoint at which the Messages API looks for an earlier entry [1]."""


def tokens(text: str) -> int:
    """Estimate the tokens of a text."""
    return round(len(text) / CHARACTERS_PER_TOKEN)


def common_length(first: str, second: str) -> int:
    """Return the length of the longest common prefix [characters]."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        same = first.startswith(second[:middle])
        low, high = (middle, high) if same else (low, middle - 1)
    return low


class VendorPromptCache:
    """Prefixes that earlier requests left behind."""

    def __init__(self) -> None:
        self._entries = set[str]()
        self._prompts = list[str]()

    def usage(self, vendor: Vendor, content: dict[str, Any], written: int) -> Usage:
        """Return the tokens of a request's JSON, and remember its prefixes."""
        if vendor is Vendor.ANTHROPIC:
            return self._by_breakpoints(_blocks(content), written)
        return self._by_prefix("".join(_lines(content)), written)

    def _by_breakpoints(self, blocks: Sequence[tuple[str, bool]], written: int) -> Usage:
        prefixes = [""]
        for text, _ in blocks:
            prefixes.append(prefixes[-1] + text)
        marks = [i for i, (_, marked) in enumerate(blocks, start=1) if marked]
        marks = [i for i in marks if tokens(prefixes[i]) >= MIN_TOKENS]
        looked = {i for mark in marks for i in range(max(1, mark - LOOKBACK), mark + 1)}
        hit = max((i for i in looked if prefixes[i] in self._entries), default=0)
        last = max(marks, default=0)
        cached = tokens(prefixes[hit])
        stored = max(0, tokens(prefixes[last]) - cached)
        self._entries |= {prefixes[mark] for mark in marks}
        return Usage(tokens(prefixes[-1]) - cached - stored, cached, stored, written)

    def _by_prefix(self, prompt: str, written: int) -> Usage:
        longest = max((common_length(prompt, earlier) for earlier in self._prompts), default=0)
        common = int(longest / CHARACTERS_PER_TOKEN)
        cached = common // STEP * STEP if common >= MIN_TOKENS else 0
        self._prompts.append(prompt)
        return Usage(tokens(prompt) - cached, cached, 0, written)


def _blocks(content: dict[str, Any]) -> list[tuple[str, bool]]:
    """Return the blocks of a request in the order of its prefix; True marks the end of a cached one."""
    system = content.get("system", "")
    all_blocks = [*content.get("tools", ()), *([{"text": system}] if isinstance(system, str) else system)]
    for message in content["messages"]:
        inner = message["content"]
        blocks = [{"text": inner}] if isinstance(inner, str) else inner
        all_blocks += [{"role": message["role"], **block} for block in blocks]
    return [(json.dumps({**b, "cache_control": None}), "cache_control" in b) for b in all_blocks]


def _lines(content: dict[str, Any]) -> list[str]:
    """Return a request as text in the order of its prefix: tools, then messages."""
    return [json.dumps(each) for each in (*content.get("tools", ()), *content["messages"])]
