"""The recorded missions again, decided by lines: the planner's own line each time leads to the same end."""

from collections.abc import Callable

import pytest

pytest.importorskip("openai")
from goldens import home, record_missions
from goldens.record_missions import BY_A_MODEL, KEPT, MISSIONS, Recorded, read, skills

from openral_reasoner.commands import AskModel, EndMission
from openral_reasoner.compact.lines import line_of
from openral_reasoner.events import Event, ModelAnswered
from openral_reasoner.recording import RecordedEvent
from openral_reasoner.scripted.planner import decide
from openral_testing.recordings.replay import replay


def ends(recorded: Recorded) -> list[EndMission]:
    return [c for moment in recorded[1] for c in moment.commands if isinstance(c, EndMission)]


def decided(command: AskModel) -> Event:
    """The planner's decision by its line."""
    line = line_of(decide(command.context), command.context.choices)
    call = next(each.call for each in command.context.choices if each.line == line)
    return ModelAnswered(call_id=command.call_id, calls=(call,), cost=0.0)


@pytest.mark.parametrize("record", [each for each in MISSIONS if each.__name__ not in BY_A_MODEL])
def test_the_planners_lines_end_each_mission_as_the_planner_does(
    record: Callable[[], Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    compact = record_missions.SETTINGS.model_copy(update={"prompt": "compact"})
    monkeypatch.setattr(record_missions, "SETTINGS", compact)
    monkeypatch.setattr(home, "decided", decided)
    by_lines, life = record(), read(KEPT / f"{record.__name__}.jsonl.gz")
    recorded = (life.settings, life.steps)
    assert [end.state for end in ends(by_lines)] == [end.state for end in ends(recorded)]
    assert skills(by_lines) == skills(recorded)
    steps = [RecordedEvent(m.now, m.event, m.commands) for m in by_lines[1]]
    assert replay(by_lines[0], steps) is None
