"""Enums of the pure contracts have the numbers of the messages' constants."""

from enum import IntEnum

import pytest

from openral_core.detectors import LifecycleState, LocateStatus
from openral_core.missions import MissionState
from openral_core.skills import SkillStatus
from openral_core.spatial_memory import EditOperation, EditStatus, ObserveStatus, RecallStatus, ResolveStatus

srv = pytest.importorskip("openral_msgs.srv")
action = pytest.importorskip("openral_msgs.action")
messages = pytest.importorskip("openral_msgs.msg")
lifecycle = pytest.importorskip("lifecycle_msgs.msg")


@pytest.mark.parametrize(
    ("enum", "message"),
    [
        (LocateStatus, srv.LocateInView.Response),
        (RecallStatus, srv.RecallObject.Response),
        (ResolveStatus, srv.ResolvePlace.Response),
        (ObserveStatus, srv.ObserveDetections.Response),
        (EditStatus, srv.EditMemory.Response),
        (EditOperation, srv.EditMemory.Request),
        (SkillStatus, action.ExecuteRskill.Result),
    ],
)
def test_statuses_are_numbered_as_on_the_wire(enum: type[IntEnum], message: type) -> None:
    on_the_wire = {member.name: getattr(message, member.name) for member in enum}
    constants = [
        name for name in dir(type(message)) if name.isupper() and name[0] != "_" and name != "SLOT_TYPES"
    ]
    assert sorted(on_the_wire) == sorted(constants)
    assert {member.name: member.value for member in enum} == on_the_wire


@pytest.mark.parametrize("state", LifecycleState)
def test_lifecycle_states_are_those_of_ros(state: LifecycleState) -> None:
    assert state.value == getattr(lifecycle.State, f"PRIMARY_STATE_{state.name}")


@pytest.mark.parametrize("state", MissionState)
def test_mission_states_are_numbered_as_on_the_wire(state: MissionState) -> None:
    assert state.value == getattr(messages.MissionStatus, f"STATE_{state.name}")
