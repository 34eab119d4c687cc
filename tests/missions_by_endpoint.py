"""Missions of a symbolic home whose model is a vendor's real SDK before an endpoint of `loopback`."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from loopback import KEY, Api, Behaviour, Script

from openral_core.missions import MissionState
from openral_reasoner.commands import AskModel, Command, EndMission, SendSkill
from openral_reasoner.context import Decision
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import ModelAnswered, ModelFailed, PaletteChanged, PromptReceived
from openral_reasoner.llm.anthropic import AnthropicModel
from openral_reasoner.llm.base import Model, ModelUnavailable, answer_of
from openral_reasoner.llm.openai import OpenAIModel
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import SimulatedTimeline
from openral_testing.reasoner.symbolic_home import SymbolicHome
from openral_testing.recordings.lives import step_line

Says = Callable[[Api], Behaviour]
HANDED_OVER = MissionState.HANDED_OVER
SOON, PLENTY = 0.4, 30.0
"""Deadlines of the model: of an endpoint that would go on for half a minute, and of any other [s]."""
GO = ("execute_rskill", '{"rskill_id": "navigate", "target": "fridge_1"}')
GIVE_UP = ("done", '{"success": false, "message": "as I was told"}')
RECALL = ("recall_object", '{"query": "mug"}')


@dataclass
class Robot:
    """One core with its peers and a model behind an endpoint; every moment of it can be recorded."""

    api: Api
    url: str
    script: Script
    home: SymbolicHome
    palette: ToolPalette
    settings: MissionSettings
    deadline: float = PLENTY
    waits: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.peers = HomePeers(self.home).answer
        self.line = SimulatedTimeline(Core(self.settings), self._answers)
        self.line.put(0.0, PaletteChanged(palette=self.palette))
        self.missions = 0

    @property
    def model(self) -> Model:
        """With the real SDK."""
        retries = RetryPolicy(self.deadline, attempts=3, base=0.01, rng=Random(0), sleep=self.waits.append)
        if self.api.named:
            return AnthropicModel("m-x", self.url, retries)
        return OpenAIModel("m-x", f"{self.url}/v1", retries)

    def _answers(self, command: Command, now: float) -> Iterator[tuple[float, Any]]:
        answer = self._decided(command) if isinstance(command, AskModel) else self.peers(command)
        if answer is not None:
            yield 0.1, answer

    def _decided(self, command: AskModel) -> ModelAnswered | ModelFailed:
        outcome: Decision | ModelUnavailable
        try:
            outcome = self.model(command.context)
        except ModelUnavailable as failure:
            outcome = failure
        return answer_of(command.call_id, outcome)

    def mission(self, *answers: Behaviour) -> EndMission:
        """One mission with an endpoint that answers so; it can be recorded whatever was said."""
        self.script.play(*answers)
        self.missions += 1
        self.line.put(0.0, PromptReceived(id=f"prompt-{self.missions}", text="go to the fridge"))
        before = len(self.line.moments)
        ends = self.line.run()
        for moment in self.line.moments[before:]:
            step_line(moment.now, moment.event, moment.commands).encode()
        assert len(ends) == 1
        assert KEY not in ends[0].reason
        return ends[0]

    def works(self) -> None:
        """The next mission, with a good model, does what it should, and at its first try."""
        sent = len(self._skills())
        end = self.mission(self.api.answer(GO), self.api.answer(GIVE_UP))
        assert (end.state, end.reason) == (MissionState.FAILED, "as I was told")
        assert len(self._skills()) == sent + 1
        assert len(self.script.requests) == 2

    def _skills(self) -> list[Command]:
        return [c for m in self.line.moments for c in m.commands if isinstance(c, SendSkill)]

    def told(self) -> str:
        """Return the text of the last request to the model."""
        return json.dumps(self.script.requests[-1]["messages"])
