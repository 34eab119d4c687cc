"""Reader: the basic missions from texts alone, through either vendor's protocol and SDK."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

pytest.importorskip("anthropic")
pytest.importorskip("openai")

from openral_eval.metering import MeteredModel
from openral_eval.reader.reader import read
from openral_eval.suites.household import missions
from openral_eval.suites.registry import SUITES
from openral_eval.suites.tasks import SuiteOptions, SuiteTask
from openral_reasoner.llm.anthropic import AnthropicModel
from openral_reasoner.llm.openai import OpenAIModel
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.settings import MissionSettings
from openral_testing.model_server.answers import ModelRequest, Vendor
from openral_testing.model_server.server import LoopbackServer, ModelServer, serving

BASIC = SUITES["household"].tasks(SuiteOptions(limit=len(missions())))
MODELS = {Vendor.ANTHROPIC: AnthropicModel, Vendor.OPENAI: OpenAIModel}


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[LoopbackServer, ModelServer]]:
    with serving(read) as both:
        yield both


@pytest.mark.parametrize("vendor", Vendor)
@pytest.mark.parametrize("task", BASIC, ids=lambda task: task.category)
def test_texts_are_enough_for_every_basic_mission(
    served: tuple[LoopbackServer, ModelServer], task: SuiteTask, vendor: Vendor
) -> None:
    server, _ = served
    meter = MeteredModel(MODELS[vendor]("reader", server.base_url(vendor), RetryPolicy(30.0)))
    found = SUITES["household"].run(task, SuiteOptions(), meter, MissionSettings())
    assert found.success, found
    assert meter.malformed == 0


def test_without_recipes_in_the_prompt_the_reader_can_only_ask(
    served: tuple[LoopbackServer, ModelServer],
) -> None:
    server, endpoint = served
    model = OpenAIModel("reader", server.base_url(Vendor.OPENAI), RetryPolicy(30.0))
    SUITES["household"].run(BASIC[0], SuiteOptions(), model, MissionSettings())
    request = endpoint.requests[-1]
    bare = replace(request, system="You choose the next step.", parts=request.parts[:1])
    assert [call.tool for call in read(bare).calls] == ["ask_human"]


def test_a_request_without_a_goal_is_asked_about() -> None:
    empty = ModelRequest(Vendor.OPENAI, "reader", "", (), ())
    assert [call.tool for call in read(empty).calls] == ["ask_human"]
