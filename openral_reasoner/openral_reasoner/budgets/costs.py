"""What a mission has cost, in words that never guess."""

from collections.abc import Mapping


def cost_words(used: Mapping[str, float]) -> str:
    """From the used lines of a budget."""
    dollars, unpriced = used.get("dollars", 0.0), int(used.get("unpriced_calls", 0))
    if not unpriced:
        return f"{dollars:.4f} US$" if dollars else "nothing"
    unknown = f"{unpriced} decision{'s' if unpriced > 1 else ''} by a model without a listed price"
    return f"at least {dollars:.4f} US$, and {unknown}" if dollars else f"unknown: {unknown}"
