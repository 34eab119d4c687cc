import pytest

from openral_core.object_states import STATE_VALUES, InvalidStateReport, ObjectState, StateReport, StateSource
from openral_msgs.msg import StateReport as StateReportMsg
from openral_ros.conversions.object_states import (
    object_state_messages,
    object_states_from_messages,
    state_report_from_message,
    state_report_message,
)


def test_states_survive_the_wire() -> None:
    states = tuple(
        ObjectState.known(value, source, 12.5) for value in ("on", "dirty") for source in StateSource
    )
    assert object_states_from_messages(object_state_messages(states)) == states


def test_a_source_of_a_later_version_is_left_out() -> None:
    (message,) = object_state_messages([ObjectState.known("on", StateSource.SEEN, 1.0)])
    message.source = 77
    assert object_states_from_messages([message]) == ()


@pytest.mark.parametrize("what", ["fridge", (1.0, 2.0, 0.5)])
@pytest.mark.parametrize("value", [*STATE_VALUES, 0.25])
def test_a_report_survives_the_wire(what: str | tuple[float, float, float], value: str | float) -> None:
    report = StateReport(what, value, StateSource.REPORTED, 12.5)
    assert state_report_from_message(state_report_message(report)) == report


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"source": 7}, "source is 7, expected 0 to 2"),
        ({"node_id": ""}, "header.frame_id is '', expected 'map'"),
        ({"name": "power"}, "value is 'power: open', expected power: on or off"),
        ({"name": "warmth"}, "value is 'warmth: open'"),
        ({"value": ""}, "unit is 'opening []'"),
        ({"value": "", "unit": "percent"}, "unit is 'opening [percent]'"),
        ({"value": "", "unit": "1", "measured": 40.0}, "measured is 40.0, expected 0"),
        ({"value": "", "unit": "1", "measured": float("nan")}, "measured is nan"),
    ],
)
def test_a_report_that_names_no_state_is_refused_with_what_would_be_valid(
    change: dict[str, object], field: str
) -> None:
    valid = {"node_id": "fridge", "name": "opening", "value": "open", "source": 1}
    with pytest.raises(InvalidStateReport, match="invalid state report") as caught:
        state_report_from_message(StateReportMsg(**{**valid, **change}))
    assert field in str(caught.value)
