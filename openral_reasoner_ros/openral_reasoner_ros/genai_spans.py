"""Spans by OpenTelemetry's semantic conventions for generative AI, on request.

Without ``OTEL_SEMCONV_STABILITY_OPT_IN`` spans keep the names and attributes that recordings have always had.
With ``gen_ai_latest_experimental`` they follow `SCHEMA_URL`. Goals, arguments and queries are then recorded
only if ``OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`` asks for them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from opentelemetry.trace import SpanKind

from openral_core.detectors import LocateStatus
from openral_core.skills import SkillStatus
from openral_reasoner.commands import SpanEnded, SpanStarted

SCHEMA_URL = "https://opentelemetry.io/schemas/1.44.0"
"""Version of the conventions."""
OPT_IN_VARIABLE = "OTEL_SEMCONV_STABILITY_OPT_IN"
OPT_IN = "gen_ai_latest_experimental"
CONTENT_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
CONTENT_VALUES = ("true", "span_only", "span_and_event")
AGENT_NAME = "openral"
INVOKE_AGENT, CHAT, EXECUTE_TOOL = "invoke_agent", "chat", "execute_tool"
OPERATION, PROVIDER, REQUEST_MODEL = "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"
AGENT, CONVERSATION, INPUT = "gen_ai.agent.name", "gen_ai.conversation.id", "gen_ai.input.messages"
TOOL_NAME, TOOL_CALL_ID, TOOL_TYPE = "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.type"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
ERROR_TYPE = "error.type"
_FAILED = frozenset(("FAILED", "INTERRUPTED", "TIMEOUT", "UNAVAILABLE", "SKILL_ERROR", "DETECTOR_ERROR"))
"""Statuses of earlier recordings that are errors."""
_DONE_SKILL = {SkillStatus.SUCCEEDED, SkillStatus.CANCELLED}
_DONE_LOOK = {LocateStatus.FOUND, LocateStatus.NOT_IN_VIEW, LocateStatus.NOT_IN_VOCABULARY}
_ERRORS = (
    _FAILED
    | {each.name for each in set(SkillStatus) - _DONE_SKILL}
    | {each.name for each in set(LocateStatus) - _DONE_LOOK}
    | {"BROKEN_OFF", "BAD_ANSWER", "INTERNAL_ERROR", "REFUSED"}
)
"""Statuses of skills, detectors and memory for a request that was not carried out."""
Attributes = Mapping[str, str | float | int | bool]


@dataclass(frozen=True, slots=True)
class SpanStart:
    """Name, kind and attributes of a span."""

    name: str
    kind: SpanKind
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class GenAiConventions:
    """Conventions in force: the latest ones or those of earlier recordings, with or without content."""

    provider: str
    model: str
    latest: bool = False
    content: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], provider: str, model: str) -> Self:
        """Read the two variables.

        Args:
            environment: Environment variables.
            provider: Kind of decision model, such as "anthropic".
            model: The vendor's model name; empty if there is none.
        """
        requested = {value.strip() for value in environment.get(OPT_IN_VARIABLE, "").split(",")}
        content = environment.get(CONTENT_VARIABLE, "").strip().lower() in CONTENT_VALUES
        return cls(provider, model or provider, OPT_IN in requested, content)

    @property
    def schema_url(self) -> str | None:
        """Schema of the spans, None for those of earlier recordings."""
        return SCHEMA_URL if self.latest else None

    def start(self, command: SpanStarted) -> SpanStart:
        """Return the span to start for a span of the mission core."""
        if not self.latest:
            return SpanStart(command.name, SpanKind.INTERNAL, command.attributes)
        operation, _, tool = command.name.partition(" ")
        if operation == INVOKE_AGENT:
            return self._invoke_agent(command)
        if operation == CHAT:
            named = {OPERATION: CHAT, PROVIDER: self.provider, REQUEST_MODEL: self.model}
            return SpanStart(f"{CHAT} {self.model}", SpanKind.CLIENT, named)
        if operation == EXECUTE_TOOL and tool:
            return self._execute_tool(command, tool)
        return SpanStart(command.name, SpanKind.INTERNAL, self._own(command.attributes))

    def is_error(self, name: str, status: str) -> bool:
        """Return True if a span that started under this name ended with an error.

        Every outcome of a decision but OK is one.
        """
        if not self.latest:
            return status in _FAILED or (name == CHAT and status != "OK")
        return status != "OK" if name == CHAT else status in _ERRORS

    def end(self, command: SpanEnded, *, failed: bool) -> Attributes:
        """Return the attributes to add at the end of a span."""
        attributes = {"openral.status": command.status, **command.attributes}
        return {**attributes, ERROR_TYPE: command.status} if self.latest and failed else attributes

    def _invoke_agent(self, command: SpanStarted) -> SpanStart:
        attributes: dict[str, str | float | int | bool] = {
            OPERATION: INVOKE_AGENT,
            PROVIDER: self.provider,
            REQUEST_MODEL: self.model,
            AGENT: AGENT_NAME,
            CONVERSATION: command.span,
        }
        if self.content:
            parts = [{"type": "text", "content": command.attributes.get("goal", "")}]
            attributes[INPUT] = json.dumps([{"role": "user", "parts": parts}])
        return SpanStart(f"{INVOKE_AGENT} {AGENT_NAME}", SpanKind.INTERNAL, attributes)

    def _execute_tool(self, command: SpanStarted, tool: str) -> SpanStart:
        attributes: dict[str, str | float | int | bool] = {
            OPERATION: EXECUTE_TOOL,
            TOOL_NAME: tool,
            TOOL_CALL_ID: command.span,
            TOOL_TYPE: "function",
        }
        if self.content:
            attributes[TOOL_ARGUMENTS] = json.dumps(command.attributes)
        return SpanStart(command.name, SpanKind.INTERNAL, attributes)

    def _own(self, attributes: Attributes) -> Attributes:
        """Return attributes of spans that the conventions do not know, in a namespace of their own."""
        return {f"openral.{name}": value for name, value in attributes.items()} if self.content else {}
