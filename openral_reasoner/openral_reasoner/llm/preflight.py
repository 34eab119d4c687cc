"""Preflight of a model's endpoint: what a mission would run into, measured before it starts.

It also chooses the form of the calls: by schema where the endpoint enforces one, else by tools.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from openral_reasoner.context import Context, Decision, ToolResult, ToolSchema, Turn
from openral_reasoner.llm.base import ModelUnavailable
from openral_reasoner.llm.call_parts import read_object
from openral_reasoner.llm.completion_messages import CallForm, response_format
from openral_reasoner.llm.endpoint_errors import context_too_small
from openral_reasoner.llm.endpoint_model import EndpointModel
from openral_reasoner.llm.openai import LIMITS, OpenAIModel, PromptSize
from openral_reasoner.llm.streaming import StreamedAnswer
from openral_reasoner.llm.written_calls import OfferedTools

MISSION_TOKENS = 4_000
"""What a mission's conversation adds to its first prompt [tokens]."""
PHRASE = "on the table beside the window near the door "
PHRASE_TOKENS = 9
"""Tokens of the phrase: every usual tokenizer has a token for each of its words [tokens]."""
PAST_PHRASES = 40
"""Length of a past call, and of its reply, that are looked for in the prompt [phrases]."""
MAX_PADDING = 15.0
"""Longest time for a prompt as long as a mission's, where the endpoint's speed allows one [s]."""
GREETING = response_format((ToolSchema(name="greet", description="", parameters='{"type": "object"}'),))
"""Response format whose answer has a handful of tokens."""
REFUSALS = ("BAD_REQUEST", "SERVER_ERROR")
"""Conditions of a request that a chat template cannot render, by server."""
COMFORTABLE = 0.5
"""Share of the deadline that a decision may take before the report names it [1]."""


@dataclass(frozen=True, slots=True)
class EndpointProblem:
    """Finding of a preflight; ``fatal`` if no mission can succeed with it."""

    condition: str
    message: str
    fatal: bool = True


@dataclass
class EndpointReport:
    """Findings of a preflight, and what was measured: tokens of the first prompt, and their speeds.

    ``seconds`` is one decision [s], ``prompt_rate`` [tokens/s] counts a prompt of which nothing was cached.
    """

    model: str
    address: str
    form: str = ""
    prompt_tokens: int = 0
    seconds: float = 0.0
    prompt_rate: float = 0.0
    facts: list[str] = field(default_factory=list)
    problems: list[EndpointProblem] = field(default_factory=list)

    @property
    def is_usable(self) -> bool:
        """True if missions can succeed."""
        return not any(problem.fatal for problem in self.problems)

    def lines(self) -> Iterator[str]:
        """Yield the report for the operator."""
        yield f"Brain {self.model!r} at {self.address}: {'usable' if self.is_usable else 'NOT usable'}"
        if self.form:
            yield f"  calls by {self.form}"
        if self.seconds:
            rate = f", prompts at {self.prompt_rate:.0f} tokens/s" if self.prompt_rate else ""
            tokens = f", first prompt {self.prompt_tokens} tokens" if self.prompt_tokens else ""
            yield f"  one decision took {self.seconds:.1f} s{tokens}{rate}"
        yield from (f"  {fact}" for fact in self.facts)
        for each in self.problems:
            yield f"  {'PROBLEM' if each.fatal else 'note'} {each.condition}: {each.message}"


def check_endpoint(model: EndpointModel, context: Context, deadline: float) -> EndpointReport:
    """Ask a model's endpoint for first decisions like that of ``context``, each within ``deadline`` [s].

    A vendor's own endpoint is asked for one decision only.
    """
    report = EndpointReport(model.model, model.address)
    tell, model.report = model.report, report.facts.append
    try:
        if isinstance(model, OpenAIModel) and model.base_url:
            _Measurement(model, context, deadline, report).run()
        else:
            _timed_decision(model, context, deadline, report)
    except ModelUnavailable as failure:
        report.problems.append(_explained(failure, report, deadline))
    finally:
        model.report = tell
        report.form = model.form.value if isinstance(model, OpenAIModel) else "tools"
    return report


class PromptReading(NamedTuple):
    """Count of a decision's prompt by its endpoint [tokens], 0 if unknown, and the time of its answer [s]."""

    tokens: int
    seconds: float


def read_prompt(
    model: OpenAIModel, context: Context, deadline: float, *, tools: bool = True
) -> PromptReading:
    """Have an endpoint read a decision's prompt, without its tools if so.

    Raises:
        ModelUnavailable: If the endpoint does not answer.
    """

    def once(seconds: float) -> PromptReading:
        left_out = {"tool_choice"} | (set() if tools else {"tools", "parallel_tool_calls"})
        body = {k: 1 if k in LIMITS else v for k, v in model.body(context).items() if k not in left_out}
        answer, begin = StreamedAnswer(OfferedTools({})), monotonic()
        model.send(body, answer, seconds)
        return PromptReading(answer.read, monotonic() - begin)

    return model.retried(lambda seconds: model.adapting(once, seconds), deadline)


def why_compact(model: OpenAIModel, context: Context, first: PromptReading, deadline: float) -> str:
    """Return why an endpoint with this ``first`` reading cannot bear prompts with tools; empty if it can.

    Raises:
        ModelUnavailable: If the endpoint does not answer.
    """
    if first.seconds > COMFORTABLE * deadline:
        return f"a first token takes {first.seconds:.0f} s of {deadline:.0f} s"
    sent = PromptSize.of(model.body(context))
    if model.tools_dropped or (first.tokens and sent.lacks_tools(first.tokens)):
        return model.tools_dropped or "the tools do not reach the prompt"
    later, added = later_context(context, PAST_PHRASES, PAST_PHRASES)
    grown = read_prompt(model, later, deadline).tokens - first.tokens
    lost = first.tokens and grown < 0.75 * added
    return f"of a call and its reply {grown} of {added} tokens reach the prompt" if lost else ""


def later_context(context: Context, query: int, reply: int) -> tuple[Context, int]:
    """Return the context after a call and a reply of so many phrases, and the tokens that this adds."""
    result = ToolResult(status="NOT_FOUND", text=PHRASE * reply)
    arguments = json.dumps({"query": PHRASE * query})
    turn = Turn(call_id="call00001", tool=context.tools[0].name, arguments=arguments, reply=result)
    return context.model_copy(update={"turns": (turn,)}), (query + reply) * PHRASE_TOKENS


def enforces_schema(model: OpenAIModel, deadline: float) -> bool:
    """Return True if the endpoint makes a model write JSON that has been asked for a word.

    Raises:
        ModelUnavailable: If the endpoint does not answer.
    """

    def once(seconds: float) -> bool:
        if "response_format" in model.refused:
            return False
        words = [{"role": "user", "content": "Say hello in one plain English word, without any JSON."}]
        model.last_sent = {"response_format": model.optional["response_format"]}
        answer = StreamedAnswer(OfferedTools({}))
        model.send(
            {"model": model.model, "messages": words, "stream": True, "response_format": GREETING},
            answer,
            seconds,
        )
        return read_object(answer.text) is not None

    return model.retried(lambda seconds: model.adapting(once, seconds), deadline)


def _explained(failure: ModelUnavailable, report: EndpointReport, deadline: float) -> EndpointProblem:
    if failure.condition != "TIMEOUT":
        return EndpointProblem(failure.condition, failure.why)
    rate = f" (it reads {report.prompt_rate:.0f} tokens/s)" if report.prompt_rate else ""
    return EndpointProblem(
        "TOO_SLOW",
        f"{failure.why} of {deadline:.0f} s{rate}: use a smaller model or a faster machine, raise "
        "model_deadline, or use '--prompt compact'",
    )


def _timed_decision(
    model: EndpointModel, context: Context, deadline: float, report: EndpointReport
) -> Decision:
    begin = monotonic()
    decision = model.retried(lambda seconds: model.decide(context, seconds), deadline)
    report.seconds, report.prompt_tokens = monotonic() - begin, decision.read
    if report.seconds > COMFORTABLE * deadline:
        message = f"a decision took {report.seconds:.1f} s of {deadline:.0f} s"
        report.problems.append(EndpointProblem("SLOW", message, fatal=False))
    return decision


@dataclass
class _Measurement:
    """Measurement of one endpoint of chat completions."""

    model: OpenAIModel
    context: Context
    deadline: float
    report: EndpointReport

    def run(self) -> None:
        """Find out what becomes of tools, past calls and long prompts, and which form of calls works.

        Raises:
            ModelUnavailable: With what makes the endpoint unusable.
        """
        first, seconds = read_prompt(self.model, self.context, self.deadline)
        self.report.prompt_rate = first / max(0.01, seconds)
        if first and self.model.form is CallForm.TOOLS:
            self._check_tools(self._count_bare(), first)
            if self.model.form is CallForm.TOOLS:
                self._check_past(first)
        self._choose_form()
        self._check_length()

    def _count(self, context: Context, *, tools: bool = True) -> int:
        return read_prompt(self.model, context, self.deadline, tools=tools).tokens

    def _count_bare(self) -> int:
        """Return the size of the prompt without tools; 0 where a template cannot do without."""
        try:
            return self._count(self.context, tools=False)
        except ModelUnavailable as failure:
            if failure.condition not in REFUSALS:
                raise
            return 0

    def _enforces_schema(self) -> bool:
        try:
            return enforces_schema(self.model, self.deadline)
        except ModelUnavailable as failure:
            if failure.condition not in REFUSALS:
                raise
            return False

    def _check_tools(self, bare: int, first: int) -> None:
        tools = PromptSize.of(self.model.body(self.context)).tools
        if bare and first - bare < 0.3 * tools:
            self.model.use_schema(
                f"the tools do not reach the prompt ({first} tokens with them, {bare} without)",
                tools_dropped=True,
            )

    def _check_past(self, first: int) -> None:
        """Find out whether system prompt, past calls and replies reach the prompt of later decisions."""
        later, added = later_context(self.context, PAST_PHRASES, PAST_PHRASES)
        grown = self._count(later) - first
        if grown >= 0.75 * added:
            return
        self.model.refused.add("system")
        if self._count(later) - self._count(self.context) >= 0.75 * added:
            self.report.facts.append("the system prompt is lost after a call: it goes into the first message")
            return
        self.model.refused.discard("system")
        words = f"past calls or replies do not reach the prompt ({grown} tokens of {added})"
        self.model.use_schema(words, tools_dropped=True)

    def _choose_form(self) -> None:
        """Decide once in the form that the endpoint enforces, and in the other one if that brings no call.

        Raises:
            ModelUnavailable: If neither does.
        """
        if self.model.form is CallForm.TOOLS and self._enforces_schema():
            self.model.use_schema("the endpoint enforces a response format")
        if self._decides():
            return
        first = self.model.form
        if first is CallForm.TOOLS:
            self.model.use_schema("the model calls no tool")
        elif not self.model.tools_dropped:
            self.model.form = CallForm.TOOLS
        if self.model.form is first or not self._decides():
            raise ModelUnavailable(
                "NO_CALL",
                "the model answers without a usable call: choose one that is trained for tool calls",
            )

    def _decides(self) -> bool:
        decision = _timed_decision(self.model, self.context, self.deadline, self.report)
        offered = {tool.name for tool in self.context.tools}
        return len(decision.calls) == 1 and decision.calls[0].tool in offered

    def _check_length(self) -> None:
        """Find out whether a prompt as long as a mission's is cut, if that takes no longer than is bearable.

        Raises:
            ModelUnavailable: If it is cut or refused.
        """
        rate = self.report.prompt_rate
        if not rate or MISSION_TOKENS / rate > MAX_PADDING:
            self.report.facts.append("whether long prompts are cut was not measured: the endpoint is slow")
            return
        later, added = later_context(self.context, 0, MISSION_TOKENS // PHRASE_TOKENS)
        grown = self._count(later) - self._count(self.context)
        if grown < 0.6 * added:
            words = f"{self.model.address} cuts the prompt: of {added} further tokens {max(0, grown)} came"
            raise context_too_small(words)
