"""Small decisions as values: a method returns what to do and the next policy."""

from openral_reasoner.policies.early_endings import Early, EarlyEndings
from openral_reasoner.policies.failure_ladder import FailureLadder, Rung
from openral_reasoner.policies.repetitions import Repetitions
from openral_reasoner.policies.strikes import Strikes

__all__ = ["Early", "EarlyEndings", "FailureLadder", "Repetitions", "Rung", "Strikes"]
