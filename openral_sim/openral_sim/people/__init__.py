"""People: standing figures with a hand held out."""

from openral_sim.people.figure import build_person

__all__ = ["build_person"]
