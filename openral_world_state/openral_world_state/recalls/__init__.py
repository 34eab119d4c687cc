"""What does memory know of this?"""

from openral_world_state.recalls.describing import Describer
from openral_world_state.recalls.ranking import Answer, answers
from openral_world_state.recalls.recall import Recall

__all__ = ["Answer", "Describer", "Recall", "answers"]
