"""Chat completions via the official OpenAI SDK, for any compatible endpoint; streaming.

The SDK sends the request and splits the stream; its types of the answer are not used, since endpoints differ
from them.
"""

import hashlib
import json
import re
from time import monotonic
from typing import Any, NamedTuple, Self

import httpx2
import openai

from openral_reasoner.context import Context, Decision
from openral_reasoner.llm.base import ModelUnavailable, opaque_message
from openral_reasoner.llm.completion_messages import (
    CallForm,
    messages,
    opaque_names,
    response_format,
    tool_params,
)
from openral_reasoner.llm.completion_stream import opaque_of, take_chunk
from openral_reasoner.llm.endpoint_errors import context_too_small, readable, translate_errors
from openral_reasoner.llm.endpoint_model import EndpointModel
from openral_reasoner.llm.http_client import Endpoint
from openral_reasoner.llm.streaming import CHARACTERS_PER_TOKEN, StreamedAnswer
from openral_reasoner.llm.written_calls import OfferedTools

LIMITS = ("max_tokens", "max_completion_tokens")
"""Names of the limit of an answer, by API version."""
_NO_TOOLS = re.compile(
    r"tools?\b.{0,40}(?:not|n't|un)\s?.{0,12}support|(?:not|n't|un).{0,12}support.{0,40}\btools?\b"
    r"|no endpoints found that support tool|tools? (?:param|choice).{0,40}requires",
    re.IGNORECASE | re.DOTALL,
)
_NO_TOOL_ROLE = re.compile(
    r"roles? must alternate|only user.{0,20}assistant|(?:unexpected|invalid|unknown|unsupported).{0,12}role",
    re.IGNORECASE,
)


class OpenAIModel(EndpointModel):
    """Model of an OpenAI-compatible endpoint; a call blocks at most for the deadline of the retries.

    ``form`` is the form of its calls; it changes by itself if the endpoint takes or passes on no tools.
    """

    vendor = "openai"
    default_url = "https://api.openai.com/v1"
    optional = {
        "parallel_tool_calls": r"parallel.?tool.?calls",
        "stream_options": r"stream_options",
        "tool_choice": r"tool.?choice",
        "prompt_cache_key": r"prompt_cache_key",
        "seed": r"\bseed\b",
        "temperature": r"\btemperature\b",
        "max_tokens": r"max_tokens",
        "max_completion_tokens": r"max_completion_tokens",
        "response_format": r"response.?format|json_schema|grammar|guided|structured.output",
        "system": r"system role|system message|role.{0,10}system",
    }
    form = CallForm.TOOLS
    tools_dropped = ""

    def ask(self, context: Context, seconds: float) -> Decision:
        """Send one request, and another one with calls by schema if the first one's tools were dropped."""
        end = monotonic() + seconds
        body = self.body(context)
        answer = StreamedAnswer(OfferedTools.of(context.tools))
        try:
            self.send(body, answer, seconds)
        except ModelUnavailable as failure:
            if failure.condition not in ("TIMEOUT", "STREAM_CUT") or not answer.is_whole:
                answer.explain(failure)
                raise
        decision = answer.decision()
        decision = decision.model_copy(update={"opaque": opaque_message(self.writer, opaque_of(answer))})
        if decision.calls or not self._drops_tools(body, decision):
            return decision
        return self.ask(context, max(0.1, end - monotonic()))

    def send(self, body: dict[str, Any], answer: StreamedAnswer, seconds: float) -> None:
        """Send a request within ``seconds`` [s], and read its answer.

        Raises:
            ModelUnavailable: If it does not end.
        """
        Endpoint(takes_json=True).ask(lambda http: self._stream(http, body, answer, seconds), seconds)

    def body(self, context: Context) -> dict[str, Any]:
        """Return the request of one decision."""
        # Other endpoints need not know it.
        sent = self.sampled(prompt_cache_key=None if self.base_url else cache_key(context))
        if self.form is CallForm.TOOLS:
            sent |= self.sent(tool_choice="required", parallel_tool_calls=False)
            sent["tools"] = tool_params(context.tools)
        else:
            sent |= self.sent(response_format=response_format(context.tools))
        rendered = messages(context, self.writer, self.form, self.refused)
        names = self.optional.keys() & {*sent, rendered[0]["role"]}
        self.last_sent = {name: self.optional[name] for name in names}
        # "... must be passed back" names what is missing elsewhere.
        self.last_sent |= {name: rf"\b{name}\b(?!.{{0,80}}must be)" for name in opaque_names(rendered)}
        return {"model": self.model, "messages": rendered, "stream": True, **sent}

    def sampled(self, **fields: object) -> dict[str, object]:
        """Return the optional fields of a request's sampling, and others, that the endpoint takes."""
        names = LIMITS if self.base_url else LIMITS[::-1]
        limit = next((each for each in names if each not in self.refused), "")
        return self.sent(
            **({limit: self.sampling.max_tokens} if limit else {}),
            stream_options={"include_usage": True},
            temperature=self.sampling.temperature if self.sampling.temperature >= 0.0 else None,
            seed=self.sampling.seed,
            **fields,
        )

    async def _stream(
        self, http: httpx2.AsyncClient, body: dict[str, Any], answer: StreamedAnswer, seconds: float
    ) -> None:
        client = openai.AsyncOpenAI(
            api_key=self._key, base_url=self.base_url, max_retries=0, http_client=http
        )
        with translate_errors(openai, self._key, self.address):
            stream = await client.post(
                "/chat/completions",
                cast_to=object,
                body=body,
                options={"timeout": seconds},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
            async with stream:
                with readable(self._key):
                    async for chunk in stream:
                        take_chunk(answer, chunk, self._key, self.address)
                        if answer.rambles():
                            answer.end_early(_size(body))
                            break

    def adapt(self, failure: ModelUnavailable) -> bool:
        """Also change to calls by schema if the endpoint takes no tools."""
        if super().adapt(failure):
            return True
        if self.form is CallForm.TOOLS and _NO_TOOL_ROLE.search(failure.words):
            self.use_schema(f"{self.address} takes no replies of tools", tools_dropped=True)
            return True
        if not _NO_TOOLS.search(failure.words):
            return False
        if self.form is CallForm.SCHEMA:
            raise ModelUnavailable("TOOLS_DROPPED", failure.why) from failure
        self.use_schema(f"{self.address} takes no tools", tools_dropped=True)
        return True

    def use_schema(self, why: str, *, tools_dropped: bool = False) -> None:
        """Have calls written as JSON by schema from now on; ``tools_dropped`` if tools are of no use here."""
        self.form = CallForm.SCHEMA
        self.tools_dropped = self.tools_dropped or (why if tools_dropped else "")
        self.report(f"{why}: calls are asked for as JSON by schema from now on")

    def _drops_tools(self, body: dict[str, Any], decision: Decision) -> bool:
        """Change to calls by schema if the prompt of an answer without a call held no tools.

        Raises:
            ModelUnavailable: If the prompt was cut, or calls by schema do not help either.
        """
        if self.tools_dropped:
            raise ModelUnavailable(
                "TOOLS_DROPPED",
                f"{self.tools_dropped}, and the model writes no call as JSON either: serve it with a chat "
                "template that has tools, or choose another model",
            )
        prompt = PromptSize.of(body)
        read = f"its prompt had {decision.read} tokens where about {prompt.whole:.0f} were sent"
        if self.form is CallForm.TOOLS and prompt.lacks_tools(decision.read):
            self.use_schema(f"{self.address} drops the tools ({read})", tools_dropped=True)
            return True
        if prompt.is_cut(decision.read):
            raise context_too_small(f"{self.address} cuts the prompt ({read})")
        return False


class PromptSize(NamedTuple):
    """Estimated size of a request [tokens], to compare with what the endpoint counts."""

    messages: float
    tools: float

    @classmethod
    def of(cls, body: dict[str, Any]) -> Self:
        """Estimate the size of a request."""
        return cls(*(_size(body.get(key, [])) / CHARACTERS_PER_TOKEN for key in ("messages", "tools")))

    @property
    def whole(self) -> float:
        """Size of messages and tools."""
        return self.messages + self.tools

    def lacks_tools(self, read: int) -> bool:
        """Return True if a prompt of ``read`` tokens holds the messages and no tools.

        Estimates are within 20 %, and no template renders tools in less than half of their JSON.
        """
        return 0.4 * self.messages <= read < 0.8 * self.messages + 0.3 * self.tools

    def is_cut(self, read: int) -> bool:
        """Return True if a prompt of ``read`` tokens is a part only; no context is smaller than 1,000."""
        return 1000 <= read < 0.5 * self.whole


def _size(content: object) -> int:
    return len(json.dumps(content, ensure_ascii=False))


def cache_key(context: Context) -> str:
    """Return the key by which requests of one mission reach the same prompt cache."""
    return hashlib.sha256(f"{context.system}\n{context.requester}\n{context.goal}".encode()).hexdigest()[:32]
