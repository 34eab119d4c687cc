"""Prices of decisions; a model without a listed price has an unknown cost, never a guessed one."""

from dataclasses import replace
from datetime import date
from importlib.resources import files
from pathlib import Path

from pydantic import Field

from openral_core.documents import Document, parse_document, parse_yaml, read_yaml
from openral_reasoner.context import Context
from openral_reasoner.llm.base import Decision, Model

MILLION = 1e6
"""Unit of the price list [tokens]."""


class Price(Document):
    """Prices of one million tokens [US$]; ``stored`` is for input written to a cache."""

    names: tuple[str, ...] = Field(min_length=1)
    read: date
    source: str
    input: float = Field(ge=0.0)
    output: float = Field(ge=0.0)
    cached: float = Field(ge=0.0)
    stored: float | None = Field(default=None, ge=0.0)

    def of(self, decision: Decision) -> float:
        """Return the cost of a decision [US$]; ``decision.read`` includes cached and stored tokens."""
        fresh = max(0, decision.read - decision.cached - decision.stored)
        stored = self.input if self.stored is None else self.stored
        cost = fresh * self.input + decision.cached * self.cached
        return (cost + decision.stored * stored + decision.written * self.output) / MILLION


class Prices(Document):
    """Dated price list."""

    prices: tuple[Price, ...] = ()

    def cost(self, decision: Decision) -> float | None:
        """Return the cost of a decision [US$]; None if its model's exact name is not listed."""
        found = next((price for price in self.prices if decision.model in price.names), None)
        return found.of(decision) if found is not None else None

    def priced(self, model: Model) -> Model:
        """Wrap a model so that each decision carries its cost."""

        def decide(context: Context) -> Decision:
            decision = model(context)
            return replace(decision, cost=self.cost(decision))

        return decide


def load_prices(path: str, base_url: str) -> Prices:
    """Load a custom price list, else that of the package, which covers only the vendors' own endpoints.

    Raises:
        InvalidDocument: If the file is not a price list.
    """
    if path:
        return parse_document(Prices, read_yaml(Path(path)), path)
    if base_url:
        return Prices()
    name = "prices.yaml"
    text = files("openral_reasoner.llm").joinpath(name).read_text(encoding="utf-8")
    return parse_document(Prices, parse_yaml(text), name)
