"""The reader as a model: its next call follows from the conversation alone."""

import json

from openral_eval.reader.goals import read_goal
from openral_eval.reader.recipes import plan
from openral_eval.reader.texts import ParsedReply, Texts
from openral_testing.model_server.answers import Answer, EmittedCall, ModelRequest

STUCK = EmittedCall("ask_human", json.dumps({"question": "I do not know how to go on. What should I do?"}))
"""Call of a reader whose plan has ended without ending the mission."""


def read(request: ModelRequest) -> Answer:
    """Return the next call; it is stateless, as a model is."""
    texts = Texts(request)
    steps = plan(texts, read_goal(texts.goal))
    try:
        call = next(steps)
        for result in request.results:
            call = steps.send(ParsedReply.of(result))
    except StopIteration:
        return Answer((STUCK,))
    tool, arguments = call
    return Answer((EmittedCall(tool, json.dumps(arguments)),))
