"""Conversions of ObjectState.msg and StateReport.msg."""

import math
from collections.abc import Iterable

from openral_core.object_states import (
    NAME_OF,
    OPENING,
    STATES,
    InvalidStateReport,
    ObjectState,
    StateReport,
    StateSource,
)
from openral_msgs.msg import ObjectState as ObjectStateMsg
from openral_msgs.msg import StateReport as StateReportMsg
from openral_ros.conversions.geometry import MAP
from openral_ros.conversions.stamps import seconds, stamp_of

SOURCES = tuple(StateSource)
"""Sources by their number in the message."""
FRACTION = "1"
"""Unit of a measured opening."""


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


def state_report_message(report: StateReport) -> StateReportMsg:
    """Convert a report to a message."""
    is_word = isinstance(report.value, str)
    message = StateReportMsg(
        name=NAME_OF[str(report.value)] if is_word else OPENING,
        value=str(report.value) if is_word else "",
        measured=0.0 if is_word else float(report.value),
        unit="" if is_word else FRACTION,
        source=SOURCES.index(report.source),
    )
    message.header.stamp, message.header.frame_id = stamp_of(report.stamp), MAP
    if isinstance(report.what, str):
        message.node_id = report.what
    else:
        message.position.x, message.position.y, message.position.z = report.what
    return message


def state_report_from_message(message: StateReportMsg) -> StateReport:
    """Convert a message to a report.

    Raises:
        InvalidStateReport: If it names no state, or nothing that has one.
    """
    position = (message.position.x, message.position.y, message.position.z)
    if message.source >= len(SOURCES):
        raise InvalidStateReport("source", message.source, f"0 to {len(SOURCES) - 1}")
    if not message.node_id and message.header.frame_id != MAP:
        raise InvalidStateReport("header.frame_id", message.header.frame_id, repr(MAP))
    if not message.node_id and not all(map(math.isfinite, position)):
        raise InvalidStateReport("position", position, "finite numbers, or a node_id")
    return StateReport(
        what=message.node_id or position,
        value=_reported_value(message),
        source=SOURCES[message.source],
        stamp=seconds(message.header.stamp),
    )


def _reported_value(message: StateReportMsg) -> str | float:
    if message.value:
        if message.name not in STATES or message.value not in STATES[message.name].values:
            expected = "; ".join(f"{name}: {' or '.join(state.values)}" for name, state in STATES.items())
            raise InvalidStateReport("value", f"{message.name}: {message.value}", expected)
        return message.value
    if message.name != OPENING or message.unit != FRACTION:
        raise InvalidStateReport("unit", f"{message.name} [{message.unit}]", "a value, or an opening in '1'")
    if not 0.0 <= message.measured <= 1.0:
        raise InvalidStateReport("measured", message.measured, "0 (closed) to 1 (wide open)")
    return message.measured
