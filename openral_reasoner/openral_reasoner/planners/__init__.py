"""Deciding without a language model."""

from openral_reasoner.planners.scripted import decide

__all__ = ["decide"]
