"""Chat completions that answer with one of the legal next calls: by grammar, by schema, or as plain text."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import httpx2

from openral_reasoner.compact.answers import answered, choices_of, grammar, response_format
from openral_reasoner.compact.prompt import compact_prompt
from openral_reasoner.context import Context, Decision
from openral_reasoner.llm.base import ModelUnavailable
from openral_reasoner.llm.http_client import Endpoint
from openral_reasoner.llm.openai import OpenAIModel
from openral_reasoner.llm.streaming import StreamedAnswer
from openral_reasoner.llm.written_calls import OfferedTools

PROBE = 5.0
"""Longest time for the question which server an endpoint is [s]."""
MAX_LISTED = 4_000
"""Longest part of an endpoint's list of models that is looked at [characters]."""
_LIST = "Answer with exactly one of these steps, word for word:"


class AnswerForm(StrEnum):
    """Constraint on an answer: a field of llama.cpp's server, OpenAI's response format, or none."""

    GRAMMAR = "grammar"
    SCHEMA = "response_format"
    TEXT = "text"


class CompactOpenAIModel(OpenAIModel):
    """Model of an OpenAI-compatible endpoint that picks one of the legal next calls.

    ``answer_form`` is found out with the first decision. What the endpoint refuses is left out: at last, the
    lines stand in the prompt.
    """

    optional = OpenAIModel.optional | {"grammar": r"grammar|gbnf"}
    answer_form: AnswerForm | None = None

    def ask(self, context: Context, seconds: float) -> Decision:
        """Send one request; an answer outside the list is a decision without a call."""
        if self.answer_form is None:
            self.answer_form = AnswerForm.GRAMMAR if self._is_llama_server() else AnswerForm.SCHEMA
        body, answer = self.body(context), StreamedAnswer(OfferedTools({}))
        Endpoint(takes_json=True).ask(lambda http: self._stream(http, body, answer, seconds), seconds)
        return answered(answer.decision(), choices_of(context))

    def body(self, context: Context) -> dict[str, Any]:
        """Return the request of one decision."""
        lines = [each.line for each in choices_of(context)]
        sent = self.sent(
            **self._limit(),
            stream_options={"include_usage": True},
            temperature=self.sampling.temperature if self.sampling.temperature >= 0.0 else None,
            seed=self.sampling.seed,
        )
        constraint = self._constraint(lines)
        prompt = compact_prompt(context)
        state = prompt.state if constraint else "\n".join((_LIST, *lines, "", prompt.state))
        rendered = [{"role": "system", "content": prompt.prefix}, {"role": "user", "content": state}]
        if "system" in self.refused:
            rendered = [{"role": "user", "content": f"{prompt.prefix}\n{state}"}]
        names = self.optional.keys() & {*sent, *constraint, rendered[0]["role"]}
        self.last_sent = {name: self.optional[name] for name in names}
        return {"model": self.model, "messages": rendered, "stream": True, **sent, **constraint}

    def _constraint(self, lines: Sequence[str]) -> dict[str, object]:
        if self.answer_form is AnswerForm.GRAMMAR and "grammar" not in self.refused:
            return {"grammar": grammar(lines)}
        return self.sent(response_format=response_format(lines))

    def _limit(self) -> dict[str, object]:
        name = next((each for each in self._limits if each not in self.refused), "")
        return {name: self.sampling.max_tokens} if name else {}

    def _is_llama_server(self) -> bool:
        """Return True if the endpoint lists its models as llama.cpp's server does."""
        if not self.base_url:
            return False
        try:
            return "llamacpp" in Endpoint(takes_json=True).ask(self._models, PROBE)
        except (ModelUnavailable, httpx2.HTTPError, httpx2.InvalidURL):
            return False

    async def _models(self, http: httpx2.AsyncClient) -> str:
        headers = {"authorization": f"Bearer {self._key}"}
        response = await http.get(f"{str(self.base_url).rstrip('/')}/models", headers=headers)
        return response.text[:MAX_LISTED]
