"""The mission core: events in, commands out."""

from openral_reasoner.missions.core import Core

__all__ = ["Core"]
