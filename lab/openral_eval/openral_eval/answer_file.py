"""Files of scripted and faulty answers of a model endpoint."""

from pathlib import Path

from pydantic import Field

from openral_core.documents import Document, parse_document, read_yaml
from openral_eval.reader.reader import read
from openral_eval.server_cli import READER
from openral_testing.model_server.answers import Answer, EmittedCall, Failure, Responder, ScriptedResponder


class CallEntry(Document):
    """Tool call of an answer; ``arguments`` may be text, to be sent as it is."""

    tool: str
    arguments: str


class AnswerEntry(Document):
    """Answer, or failure if ``status`` is not 200 or ``cut_off``; ``delay`` and ``retry_after`` in [s]."""

    calls: tuple[CallEntry, ...] = ()
    text: str = ""
    status: int = Field(default=200, ge=200, le=599)
    cut_off: bool = False
    kind: str = "api_error"
    message: str = "the endpoint fails on purpose"
    retry_after: float | None = Field(default=None, ge=0.0)
    delay: float = Field(default=0.0, ge=0.0, le=600.0)

    def answer(self) -> Answer | Failure:
        """Return what the endpoint sends."""
        if self.status != 200 or self.cut_off:
            return Failure(self.status, self.kind, self.message, self.retry_after, self.delay)
        calls = tuple(EmittedCall(call.tool, call.arguments) for call in self.calls)
        return Answer(calls, self.text, delay=self.delay)


class AnswerFile(Document):
    """File of answers, given one after the other; the last one is repeated."""

    answers: tuple[AnswerEntry, ...] = Field(min_length=1)


def responder_of(answers: str) -> Responder:
    """Return the reader, or the responder of a file of answers.

    Raises:
        InvalidDocument: If the file is none.
    """
    if answers == READER:
        return read
    entries = parse_document(AnswerFile, read_yaml(Path(answers)), answers).answers
    return ScriptedResponder(tuple(entry.answer() for entry in entries))
