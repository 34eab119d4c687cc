"""Ablations: parts of the mission core that a run can do without, to measure what each gives."""

import json
from dataclasses import dataclass

from openral_eval.choices import CorePart
from openral_reasoner.context import Context, Decision, RawCall, UnreadableArguments, read_arguments
from openral_reasoner.llm.base import AdvisedModel, Model
from openral_reasoner.settings import MissionSettings


@dataclass(frozen=True)
class WithoutHints:
    """Model whose likely places never reach the core."""

    model: Model

    def __call__(self, context: Context) -> Decision:
        """Return the decision without likely places.

        Raises:
            ModelUnavailable: If the model made none.
        """
        return _stripped(self.model(context))

    def advise(self, context: Context) -> Decision:
        """Return the advisor's decision without likely places.

        Raises:
            ModelUnavailable: If it made none.
        """
        decide = self.model.advise if isinstance(self.model, AdvisedModel) else self.model
        return _stripped(decide(context))


def _stripped(decision: Decision) -> Decision:
    return decision.model_copy(update={"calls": tuple(map(_without_hints, decision.calls))})


def _without_hints(call: RawCall) -> RawCall:
    """Remove likely places from a call that the core could read."""
    try:
        arguments = read_arguments(call.arguments)
    except UnreadableArguments:
        return call
    if "likely_places" not in arguments:
        return call
    del arguments["likely_places"]
    return call.model_copy(update={"arguments": json.dumps(arguments)})


def without(
    parts: frozenset[CorePart], model: Model, settings: MissionSettings
) -> tuple[Model, MissionSettings]:
    """Return the model and the settings without some parts."""
    changes = {
        "placement_prior": CorePart.PRIORS not in parts,
        "locate_after_miss": CorePart.POLICY not in parts,
    }
    ablated = WithoutHints(model) if CorePart.HINTS in parts else model
    return ablated, settings.model_copy(update=changes)
