"""Tokenizer of a language model, and the tokens of prompts and lines."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, pre_tokenizers
from tokenizers.decoders import ByteLevel
from tokenizers.models import BPE

from openral_core.errors import OpenRALError, format_choices

_LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_SPLITS: Mapping[str, str] = {"llama-bpe": _LLAMA % "{1,3}", "qwen2": _LLAMA % ""}
KINDS = ("smollm", "gpt-2", *_SPLITS)
"""Ways to split words, by their names in GGUF."""


class UnknownTokenizer(OpenRALError):
    """Tokenizer of a GGUF file that is not supported."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"its tokenizer is {kind!r}, valid is byte-level BPE split as one of {format_choices(KINDS)}; "
            "the model's hub folder has a tokenizer.json that is read as it is"
        )


def gguf_tokenizer(field: Callable[[str], Any]) -> Tokenizer:
    """Build the tokenizer that the fields of a GGUF file describe.

    Raises:
        UnknownTokenizer: If it is of another kind.
    """
    kind = str(field("tokenizer.ggml.pre"))
    if field("tokenizer.ggml.model") != "gpt2" or kind not in KINDS:
        raise UnknownTokenizer(f"{field('tokenizer.ggml.model')}, {kind}")
    vocabulary = {token: number for number, token in enumerate(field("tokenizer.ggml.tokens"))}
    merges = [tuple(merge.split(" ")) for merge in field("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(BPE(vocabulary, merges))
    if kind in _SPLITS:
        split = pre_tokenizers.Split(Regex(_SPLITS[kind]), "isolated")
        parts = [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    else:
        digits = [pre_tokenizers.Digits(individual_digits=True)] if kind == "smollm" else []
        parts = [*digits, pre_tokenizers.ByteLevel(add_prefix_space=False)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(parts)
    tokenizer.decoder = ByteLevel()
    return tokenizer


def read_tokenizer(path: Path) -> tuple[Tokenizer, int | None]:
    """Read a tokenizer.json, with the token that it puts before every text, if any."""
    tokenizer = Tokenizer.from_file(str(path))
    first = tokenizer.encode("a").ids[:1]
    has_bos = first != tokenizer.encode("a", add_special_tokens=False).ids[:1]
    return tokenizer, first[0] if has_bos else None


class LineEncoder:
    """Tokens of texts, line by line, so that a text that grows keeps the tokens of its beginning."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._memo: dict[str, tuple[int, ...]] = {}

    def prompt(self, text: str) -> list[int]:
        """Return the tokens of a prompt; the mark ``>`` of a call is apart from the call."""
        tokens = list[int]()
        for line in text.splitlines(keepends=True):
            parts = (">", line[1:]) if line.startswith(">") else (line,)
            tokens += [token for part in parts if part for token in self._encode(part)]
        return tokens

    def choice(self, line: str) -> tuple[int, ...]:
        """Return the tokens of a choice, which follows the mark and ends the line."""
        return self._encode(f" {line}\n")

    def _encode(self, text: str) -> tuple[int, ...]:
        if text not in self._memo:
            if len(self._memo) >= MEMO:
                self._memo.clear()
            self._memo[text] = tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)
        return self._memo[text]


MEMO = 20_000
"""Most lines whose tokens are kept [1]."""
