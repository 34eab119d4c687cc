"""Questions of the core, worded from the replies."""

import json

from openral_core.skills import Verb
from openral_reasoner.compact.report import MissionStory, question
from openral_reasoner.context import ToolResult, Turn
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import Bring
from openral_reasoner.search import NOBODY_CAN_LOOK


def test_a_word_that_no_locator_knows_is_what_a_human_is_told(palette: ToolPalette) -> None:
    navigate = next(each for each in palette.skills if each.verb is Verb.NAVIGATE)
    arguments = {"rskill_id": navigate.id, "target": "table_1", "search_for": "unicorn"}
    why = "locator sim-locator: not in this detector's vocabulary: 'unicorn'"
    reply = ToolResult(status=NOBODY_CAN_LOOK, text="did not drive there", peer_words=(why,))
    turn = Turn(call_id="c1", tool="execute_rskill", arguments=json.dumps(arguments), reply=reply)
    text, _ = question(MissionStory(Bring("unicorn"), "bring me the unicorn", palette, (turn,)))
    assert text == f"I found no unicorn, and I can't search for it: {why}. What should I do?"
