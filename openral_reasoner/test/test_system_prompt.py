"""The system prompt names only what exists."""

import re

from openral_core.skills import Verb
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.registry import PALETTE, name_of


def test_names_only_tools_and_skills_that_exist() -> None:
    tools = {name_of(tool) for tool in PALETTE}
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", SYSTEM_PROMPT)) - {"likely_places", "search_for"}
    assert named <= tools
    verbs = set(re.findall(r"\b[A-Z]{4,}(?:_[A-Z]+)*\b", SYSTEM_PROMPT)) - {"NOT_IN_VIEW"}
    assert verbs <= {verb.value for verb in Verb}
    assert named
    assert verbs
