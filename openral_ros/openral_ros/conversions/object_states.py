"""Conversions of ObjectState.msg."""

from collections.abc import Iterable

from openral_core.object_states import ObjectState, StateSource
from openral_msgs.msg import ObjectState as ObjectStateMsg
from openral_ros.conversions.stamps import seconds, stamp_of

SOURCES = tuple(StateSource)
"""Sources by their number in the message."""


def object_state_messages(states: Iterable[ObjectState]) -> list[ObjectStateMsg]:
    """Convert states to messages."""
    return [
        ObjectStateMsg(
            name=state.name,
            value=state.value,
            source=SOURCES.index(state.source),
            stamp=stamp_of(state.since),
            until=stamp_of(state.until or 0.0),
        )
        for state in states
    ]


def object_states_from_messages(messages: Iterable[ObjectStateMsg]) -> tuple[ObjectState, ...]:
    """Convert messages to states; those of sources unknown to this version are left out."""
    return tuple(
        ObjectState(
            message.name,
            message.value,
            SOURCES[message.source],
            seconds(message.stamp),
            seconds(message.until) or None,
        )
        for message in messages
        if message.source < len(SOURCES)
    )
