"""The mission core: events in, commands out."""

from openral_reasoner.missions.core import Core
from openral_reasoner.missions.survivals import handled

__all__ = ["Core", "handled"]
