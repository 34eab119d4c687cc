"""Fields of commands that hold text for readers, which a replay may ignore."""

import json
from fnmatch import fnmatchcase

TEXTS = (
    "ask_model.context.system",
    "ask_model.context.tools.*.description",
    "ask_model.context.turns.*.reply.text",
    "ask_model.context.turns.*.reply.peer_words",
    "ask_model.context.turns.*.reply.found.*.why",
    "ask_model.context.turns.*.reply.frontier.*.why",
    "ask_model.context.turns.*.reply.remaining",
    "ask_model.context.turns.*.news",
    "ask_model.context.news",
    "ask_model.context.holding",
    "ask_model.context.remaining",
    "end_mission.reason",
    "publish_handoff.question.question",
    "publish_handoff.question.tried",
    "publish_prompt.text",
    "publish_receipt.message",
    "publish_status.report.step",
    "publish_status.report.reason",
    "publish_status.report.evidence",
    "publish_status.report.calls.*.message",
    "publish_status.report.calls.*.arguments.step",
    "publish_status.report.calls.*.arguments.question",
    "send_skill.goal.prompt",
    "span_started.name",
    "span_started.attributes.step",
    "span_started.attributes.question",
)
"""Texts, or lists of texts, by command and field; ``*`` matches one or several fields and indices."""
IN_JSON = ("ask_model.context.tools.*.parameters", "publish_status.report.calls.*.arguments")
"""Fields whose text is JSON."""
WORDS = "(text)"
"""Placeholder for any text; an empty text stays empty, and a list keeps its length."""


def without_texts(path: str, content: object) -> object:
    """Replace every text in the content of a command below ``path``, which begins with its kind."""
    if isinstance(content, str) and _matches(path, IN_JSON):
        return without_texts(path, json.loads(content)) if content else content
    if isinstance(content, dict):
        return {key: without_texts(f"{path}.{key}", each) for key, each in content.items()}
    if isinstance(content, list):
        below = path if _matches(path, TEXTS) else f"{path}.*"
        return [without_texts(below, each) for each in content]
    return WORDS if isinstance(content, str) and content and _matches(path, TEXTS) else content


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)
