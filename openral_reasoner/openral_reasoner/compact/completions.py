"""Chat completions that answer with one of the legal next calls: by grammar, by schema, or as plain text."""

from time import monotonic
from typing import Any

import httpx2

from openral_reasoner.compact.answers import answered, grammar, response_format
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
UNFIT = ("TIMEOUT", "CONTEXT_TOO_SMALL", "TOOLS_DROPPED")
"""Conditions of a model that calls no tools in time."""
COMFORTABLE = 0.5
"""Share of its time that a decision with tools may take [1]."""
_LIST = "Answer with exactly one of these steps, word for word:"


class CompactOpenAIModel(OpenAIModel):
    """Model of an OpenAI-compatible endpoint that picks one of the legal next calls.

    ``by_grammar`` is found out with the first decision. What the endpoint refuses is left out: at last, the
    lines stand in the prompt. While ``is_full``, it calls tools.
    """

    optional = OpenAIModel.optional | {"grammar": r"grammar|gbnf"}
    by_grammar: bool | None = None
    is_full = False

    def ask(self, context: Context, seconds: float) -> Decision:
        """Send one request; an answer outside the list is a decision without a call."""
        if self.is_full:
            return self._ask_in_full(context, seconds)
        if self.by_grammar is None:
            self.by_grammar = self._is_llama_server()
        body, answer = self.body(context), StreamedAnswer(OfferedTools({}))
        self.send(body, answer, seconds)
        return answered(answer.decision(), context.choices)

    def _ask_in_full(self, context: Context, seconds: float) -> Decision:
        begin = monotonic()
        try:
            decision = super().ask(context, seconds)
        except ModelUnavailable as failure:
            # One that has answered before may be late for another reason.
            if failure.condition in UNFIT and not (failure.condition == "TIMEOUT" and self._answered):
                self.use_compact(failure.why)
            raise
        if not decision.calls:
            self.use_compact("the model called no tool")
        elif monotonic() - begin > COMFORTABLE * seconds:
            self.use_compact(f"a decision took {monotonic() - begin:.0f} s of {seconds:.0f} s")
        return decision

    def use_compact(self, why: str) -> None:
        """Have the model pick lines from the next decision on."""
        self.is_full = False
        self.report(f"{why}: the prompt is compact from now on; '--prompt full' keeps the tools")

    def body(self, context: Context) -> dict[str, Any]:
        """Return the request of one decision."""
        if self.is_full:
            return super().body(context)
        lines = [each.line for each in context.choices]
        sent = self.sampled()
        constraint = self.sent(grammar=grammar(lines)) if self.by_grammar else {}
        constraint = constraint or self.sent(response_format=response_format(lines))
        prompt = compact_prompt(context)
        state = prompt.state if constraint else "\n".join((_LIST, *lines, "", prompt.state))
        rendered = [{"role": "system", "content": prompt.prefix}, {"role": "user", "content": state}]
        if "system" in self.refused:
            rendered = [{"role": "user", "content": f"{prompt.prefix}\n{state}"}]
        names = self.optional.keys() & {*sent, *constraint, rendered[0]["role"]}
        self.last_sent = {name: self.optional[name] for name in names}
        return {"model": self.model, "messages": rendered, "stream": True, **sent, **constraint}

    def _is_llama_server(self) -> bool:
        """Return True if the endpoint lists its models as llama.cpp's server does."""
        try:
            return bool(self.base_url) and "llamacpp" in Endpoint(takes_json=True).ask(self._models, PROBE)
        except (ModelUnavailable, httpx2.HTTPError, httpx2.InvalidURL):
            return False

    async def _models(self, http: httpx2.AsyncClient) -> str:
        headers = {"authorization": f"Bearer {self._key}"}
        response = await http.get(f"{str(self.base_url).rstrip('/')}/models", headers=headers)
        return response.text[:MAX_LISTED]


class AdaptiveOpenAIModel(CompactOpenAIModel):
    """Model that calls tools until its endpoint proves too slow, too small or without tools."""

    is_full = True
