"""Answers of models that pick one of the legal next calls: how they are constrained and read."""

import json
import re
from collections.abc import Sequence

from openral_reasoner.context import Choice, Decision

STEP = "step"
"""Key of the line in an answer that is a JSON object."""
_MARKS = re.compile(r"^[\s>`*\"'-]+|[\s`*\"'.]+$")


def answered(decision: Decision, choices: Sequence[Choice]) -> Decision:
    """Return a decision whose text is a line as one with the call of that line; else without any call."""
    choice = matching(decision.text, choices)
    return decision.model_copy(update={"calls": () if choice is None else (choice.call,)})


def matching(text: str, choices: Sequence[Choice]) -> Choice | None:
    """Return the choice whose line a text is, whatever its case, marks and JSON; None if it is none."""
    lines = {_plain(each.line): each for each in choices}
    candidates = (_in_json(text), *text.strip().splitlines()[:1], *text.strip().splitlines()[-1:])
    return next((lines[key] for each in candidates if (key := _plain(each)) in lines), None)


def _in_json(text: str) -> str:
    start, end = text.find("{"), text.rfind("}")
    try:
        content = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return ""
    return str(content.get(STEP, "")) if isinstance(content, dict) else ""


def _plain(line: str) -> str:
    return " ".join(_MARKS.sub("", line).split()).casefold()


def grammar(lines: Sequence[str]) -> str:
    """Return a grammar in GBNF whose only sentences are the lines, each after a space.

    Source: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
    """
    return f'root ::= " "? ({" | ".join(json.dumps(line, ensure_ascii=False) for line in lines)}) "\\n"?'


def response_format(lines: Sequence[str]) -> dict[str, object]:
    """Return the schema of an answer that is one of the lines, as OpenAI's API takes it."""
    schema = {
        "type": "object",
        "properties": {STEP: {"type": "string", "enum": list(lines)}},
        "required": [STEP],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "next_step", "strict": True, "schema": schema}}
