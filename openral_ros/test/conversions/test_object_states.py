from openral_core.object_states import ObjectState, StateSource
from openral_ros.conversions.object_states import object_state_messages, object_states_from_messages


def test_states_survive_the_wire() -> None:
    states = tuple(
        ObjectState.known(value, source, 12.5) for value in ("on", "dirty") for source in StateSource
    )
    assert object_states_from_messages(object_state_messages(states)) == states


def test_a_source_of_a_later_version_is_left_out() -> None:
    (message,) = object_state_messages([ObjectState.known("on", StateSource.SEEN, 1.0)])
    message.source = 77
    assert object_states_from_messages([message]) == ()
