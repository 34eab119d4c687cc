"""Client of the decision model, which runs on a thread of its own, and the deadlines of all calls.

A vendor's SDK and the HTTP client are imported only when they are needed.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from random import Random

from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_reasoner.commands import AskModel, ChangeState, ClearDeadline, SetDeadline
from openral_reasoner.context import Decision
from openral_reasoner.events import CallFailed, DeadlinePassed, ModelFailed, StateChanged
from openral_reasoner.llm.base import (
    Model,
    ModelUnavailable,
    ResidentModel,
    Sampling,
    answer_of,
    load_prices,
)
from openral_reasoner.palette.entries import BrainEntry
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner_ros.brains import Brain, PromptForm
from openral_reasoner_ros.dispatcher import Handler, Post
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_ros.resources import ResourceScope
from openral_ros.service_client import TimeoutScheduler
from openral_ros.worker_thread import ExecutorQueue

MAX_STUCK_CALLS = 4
"""Calls that may run past their deadline, each on its thread, before further calls are rejected."""


class ModelClient:
    """Client of a model and its advisor; each call has its own thread, so a stuck one delays no later one.

    The core's deadline ends the wait for an answer; the core ignores an answer that comes later.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, post: Post, model: Model, advisor: Model | None = None
    ) -> None:
        self._post, self._node = post, node
        self._models = {False: model, True: advisor or model}
        self._running: list[threading.Thread] = []
        self._resident = model if isinstance(model, ResidentModel) else None
        self._answers = ExecutorQueue(scope)

    @property
    def resident(self) -> BrainEntry | None:
        """Worker of the model on this machine; None if it has none."""
        return None if self._resident is None else self._resident.resident

    def before(self, other: Handler) -> Handler:
        """Return a handler of `ChangeState` for the model's worker; other peers go to ``other``."""
        model = self._resident
        if model is None:
            return other

        def change(command: ChangeState) -> None:
            if command.peer != model.resident.id:
                other(command)
                return
            threading.Thread(target=self._change, args=(model, command), name="model", daemon=True).start()

        return change

    def _change(self, model: ResidentModel, command: ChangeState) -> None:
        event: StateChanged | CallFailed = StateChanged(call_id=command.call_id, success=True, message="done")
        try:
            model.set_active(command.transition == "activate")
        except ModelUnavailable as error:
            event = CallFailed(call_id=command.call_id, condition=error.condition, message=error.why)
        self._answers.post(partial(self._post, event))

    def ask(self, command: AskModel) -> None:
        """Request a decision; the answer is posted on the executor."""
        self._running = [thread for thread in self._running if thread.is_alive()]
        if len(self._running) >= MAX_STUCK_CALLS:
            message = (
                f"{len(self._running)} earlier model calls have not returned; "
                "deactivate and activate the reasoner to discard them"
            )
            self._post(ModelFailed(call_id=command.call_id, condition="MODEL_STUCK", message=message))
            return
        # A daemon thread, because a call that never returns must not keep the process alive.
        thread = threading.Thread(target=self._decide, args=(command,), name="model", daemon=True)
        self._running.append(thread)
        thread.start()

    def _decide(self, command: AskModel) -> None:
        outcome: Decision | Exception
        try:
            outcome = self._models[command.advisor](command.context)
        except Exception as error:
            outcome = error
        self._answers.post(partial(self._answer, command.call_id, outcome))

    def _answer(self, call_id: str, outcome: Decision | Exception) -> None:
        if isinstance(outcome, Decision | ModelUnavailable):
            self._post(answer_of(call_id, outcome))
            return
        error = type(outcome).__name__
        self._node.get_logger().error(f"The model raised {error}: {outcome}")
        self._post(ModelFailed(call_id=call_id, condition="MODEL_ERROR", message=error))


class DeadlineClient:
    """Deadlines of the core's calls, one per call."""

    def __init__(self, scope: ResourceScope, node: Node, post: Post) -> None:
        self._deadlines, self._post = TimeoutScheduler(scope, node), post
        self.handlers: Mapping[type, Handler] = {SetDeadline: self.set, ClearDeadline: self.clear}

    def set(self, command: SetDeadline) -> None:
        """Start or restart a deadline."""
        passed = partial(self._post, DeadlinePassed(call_id=command.call_id))
        self._deadlines.schedule(command.call_id, command.seconds, passed)

    def clear(self, command: ClearDeadline) -> None:
        """Cancel a deadline."""
        self._deadlines.cancel(command.call_id)


DEADLINE_MARGIN = 2.0
"""Margin of a model's own deadline below the core's, so that its typed failure arrives first [s]."""


class SdkMissing(OpenRALError):
    """Selected brain whose Python package is not installed."""

    def __init__(self, brain: Brain, missing: str) -> None:
        super().__init__(
            f"brain {brain.value!r} needs the package {missing!r}: "
            "run `pip install -r requirements/models.txt`, or choose brain 'scripted'"
        )


class ModelNotNamed(OpenRALError):
    """Vendor's brain without the name of a model."""

    def __init__(self, brain: Brain) -> None:
        super().__init__(f"brain {brain.value!r} needs the parameter 'model' (the vendor's model name)")


class PromptNotOffered(OpenRALError):
    """Prompt that a brain has not."""

    def __init__(self, brain: Brain, prompt: PromptForm) -> None:
        super().__init__(
            f"brain {brain.value!r} has no {prompt.value} prompt: choose prompt 'full', or brain 'openai'"
        )


def make_model(parameters: ReasonerParameters) -> Model:
    """Build the model that the parameters select; there is no fallback.

    Raises:
        SdkMissing: If its package is not installed.
        ModelNotNamed: If no model is named.
        MissingKey: If its key is not in the environment.
        PromptNotOffered: If it has no such prompt.
        InvalidDocument: If the price list cannot be read.
    """
    return _BRAINS[parameters.brain](parameters)


def make_advisor(parameters: ReasonerParameters) -> Model | None:
    """Build the advisor, a model of the same endpoint; None if none is named.

    Raises:
        OpenRALError: As `make_model`.
    """
    if not parameters.advisor_model:
        return None
    return make_model(parameters.model_copy(update={"model": parameters.advisor_model}))


def _openai(parameters: ReasonerParameters) -> Model:
    names = {"full": "OpenAIModel", "compact": "CompactOpenAIModel", "auto": "AdaptiveOpenAIModel"}
    name = names[parameters.mission_prompt]
    return _vendor("llm.openai" if name == "OpenAIModel" else "compact.completions", name)(parameters)


def _anthropic(parameters: ReasonerParameters) -> Model:
    if parameters.prompt is PromptForm.COMPACT:
        raise PromptNotOffered(parameters.brain, parameters.prompt)
    return _vendor("llm.anthropic", "AnthropicModel")(parameters)


def _local(parameters: ReasonerParameters) -> Model:
    makers = entry_points(group="openral.brains", name=Brain.LOCAL.value)
    if not makers:
        raise SdkMissing(parameters.brain, "openral-training")
    model: Model = next(iter(makers)).load()(parameters.model, parameters.model_deadline - DEADLINE_MARGIN)
    return model


def _vendor(module: str, name: str) -> Callable[[ReasonerParameters], Model]:
    def make(parameters: ReasonerParameters) -> Model:
        if not parameters.model:
            raise ModelNotNamed(parameters.brain)
        try:
            vendor = import_module(f"openral_reasoner.{module}")
            streaming = import_module("openral_reasoner.llm.streaming")
        except ModuleNotFoundError as error:
            raise SdkMissing(parameters.brain, error.name or module) from error
        deadline = max(0.1, parameters.model_deadline - DEADLINE_MARGIN)
        retries = streaming.RetryPolicy(deadline, rng=Random(parameters.seed))
        sampling = Sampling(parameters.max_answer_tokens, parameters.temperature, parameters.seed)
        model: Model = getattr(vendor, name)(
            parameters.model, parameters.base_url, retries, sampling, logging.getLogger(__name__).warning
        )
        return load_prices(parameters.prices, parameters.base_url).priced(model)

    return make


_BRAINS: Mapping[Brain, Callable[[ReasonerParameters], Model]] = {
    Brain.SCRIPTED: lambda parameters: ScriptedModel(),
    Brain.LOCAL: _local,
    Brain.ANTHROPIC: _anthropic,
    Brain.OPENAI: _openai,
}
