"""The command `openral model-server`: scripted and faulty answers of a file, and the reader."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("openai")

from openral_core.documents import InvalidDocument
from openral_eval.answer_file import responder_of
from openral_eval.brains import BrainSpec
from openral_eval.metering import MeteredModel
from openral_eval.reader.reader import read
from openral_eval.suites.registry import SUITES
from openral_eval.suites.tasks import SuiteOptions
from openral_reasoner.llm.openai import OpenAIModel
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.brains import Brain
from openral_testing.model_server.answers import Answer, EmittedCall, Failure, ModelRequest, Vendor
from openral_testing.model_server.server import serving

REQUEST = ModelRequest(Vendor.OPENAI, "m", "", (), ())
FILE = """
answers:
  - {status: 529, kind: overloaded_error, message: try later, retry_after: 0.0}
  - {cut_off: true}
  - {calls: [{tool: recall_object, arguments: '{"query": "mug'}]}
  - {calls: [{tool: done, arguments: '{"success": false, "message": "as the file says"}'}]}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "answers.yaml"
    path.write_text(FILE)
    return path


def test_a_file_of_answers_is_given_in_order(file: Path) -> None:
    responder = responder_of(str(file))
    given = [responder(REQUEST) for _ in range(5)]
    assert [type(each) for each in given] == [Failure, Failure, Answer, Answer, Answer]
    assert given[2].calls == (EmittedCall("recall_object", '{"query": "mug'),)
    assert given[3] == given[4]


def test_a_mission_survives_what_the_file_does_to_it(file: Path) -> None:
    task = SUITES["household"].tasks(SuiteOptions(limit=1))[0]
    with serving(responder_of(str(file))) as (server, _):
        retries = RetryPolicy(30.0, sleep=lambda seconds: None)
        meter = MeteredModel(OpenAIModel("m", server.base_url(Vendor.OPENAI), retries))
        found = SUITES["household"].run(task, SuiteOptions(), meter, MissionSettings())
    assert (found.state, found.detail) == ("FAILED", "missing: delivered mug_1 ana; as the file says")
    assert meter.malformed == 1


def test_the_reader_is_an_answer_too() -> None:
    assert responder_of("reader") is read


@pytest.mark.parametrize("content", ["answers: []", "answers: [{status: 42}]", "answer: 1"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(content)
    with pytest.raises(InvalidDocument, match=re.escape(str(path))):
        responder_of(str(path))


def test_the_command_serves_until_it_is_interrupted() -> None:
    # Shells start commands in the background without SIGINT, which their children inherit.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from openral_eval.server_cli import commands; commands()"
    command = [sys.executable, "-P", "-u", "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline(), process.stdout.readline()]
        url = lines[1].split()[-1]
        model = BrainSpec(Brain.OPENAI, "reader", url).build()[0]
        task = SUITES["household"].tasks(SuiteOptions(limit=1))[0]
        assert SUITES["household"].run(task, SuiteOptions(), model, MissionSettings()).success
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(30) == 0
        finally:
            process.kill()
