"""Odd values for every parameter of a node before it is configured, then the way to work and back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from lifecycle_msgs.msg import State
from rcl_interfaces.msg import ParameterType, ParameterValue
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter

from fuzzing.invariants import InvariantBroken
from fuzzing.message_values import Vocabulary, messages
from fuzzing.rig import Rig
from fuzzing.rounds import Door
from openral_core.errors import OpenRALError

WEIGHT = 0.1
"""Share of the cases of a subscription: every case configures the node, and activates it if it can."""
RESERVED = ("use_sim_time", "start_type_description_service", "qos_overrides")
"""Parameters that rclpy declares and reads itself."""


def parameter_doors(rig: Rig, vocabulary: Vocabulary) -> Iterator[Door]:
    """Yield one door per declared parameter of a lifecycle node."""
    if not hasattr(rig.node, "_state_machine"):
        return
    declared = rig.node.get_parameters_by_prefix("")
    for name, parameter in sorted(declared.items()):
        if not name.startswith(RESERVED):
            yield _ParameterDoor(rig, name, parameter).door(vocabulary)


class _ParameterDoor:
    """One parameter; after each case it has its own value again and the node is unconfigured."""

    def __init__(self, rig: Rig, name: str, parameter: Parameter) -> None:
        self._rig, self._name, self._parameter = rig, name, parameter
        if parameter.type_ is Parameter.Type.NOT_SET:  # an empty list, which has no type yet
            self._parameter = Parameter(name, Parameter.Type.STRING_ARRAY, [])

    def door(self, vocabulary: Vocabulary) -> Door:
        """Return the door."""
        label = f"{self._rig.name} parameter {self._name}"
        return Door(label, lambda: self._values(vocabulary), self._deliver, WEIGHT)

    def _values(self, vocabulary: Vocabulary) -> st.SearchStrategy[Any]:
        """Return values of any type, mostly of the parameter's own."""
        kind = self._parameter.type_.value
        own = messages(ParameterValue, vocabulary).map(lambda value: _typed(value, kind))
        return st.one_of(own, own, own, messages(ParameterValue, vocabulary))

    def _deliver(self, value: ParameterValue) -> None:
        rig = self._rig
        unconfigure(rig)
        odd = Parameter.from_parameter_msg(_message(self._name, inside(value, rig.folder)))
        raised: list[str] = []
        restore = _watched(rig.node, raised)
        try:
            if rig.node.set_parameters([odd])[0].successful:
                self._work()
        finally:
            unconfigure(rig)
            restore()
            restored = rig.node.set_parameters([self._parameter])[0]
        if not restored.successful:
            raise InvariantBroken(f"{self._name} does not take its first value again: {restored.reason}")
        if raised:
            raise InvariantBroken(f"{self._name} = {str(odd.value)[:200]!r}: {'; '.join(raised[:3])}")

    def _work(self) -> None:
        if self._rig.node.trigger_configure() is TransitionCallbackReturn.SUCCESS:
            self._rig.node.trigger_activate()
            self._rig.settle()


def unconfigure(rig: Rig) -> None:
    """Bring a node to its first state from any other."""
    machine = rig.node._state_machine
    for _ in range(4):
        state = machine.current_state[0]
        if state == State.PRIMARY_STATE_UNCONFIGURED:
            return
        if state == State.PRIMARY_STATE_ACTIVE:
            rig.node.trigger_deactivate()
        else:
            rig.node.trigger_cleanup()
    raise InvariantBroken(f"{rig.name} cannot be cleaned up: it is {machine.current_state[1]}")


def inside(value: ParameterValue, folder: Path) -> ParameterValue:
    """Keep paths below a folder: that a node writes where its operator says is no finding."""
    value.string_value = _confined(value.string_value, folder)
    value.string_array_value = [_confined(text, folder) for text in value.string_array_value]
    return value


def _confined(text: str, folder: Path) -> str:
    return str(folder / text.replace("..", "_").strip("/")) if "/" in text or ".." in text else text


def _typed(value: ParameterValue, kind: int) -> ParameterValue:
    value.type = kind
    return value


def _message(name: str, value: ParameterValue) -> Any:
    from rcl_interfaces.msg import Parameter as ParameterMessage

    known = ParameterType.PARAMETER_NOT_SET <= value.type <= ParameterType.PARAMETER_STRING_ARRAY
    if not known:
        value.type = ParameterType.PARAMETER_NOT_SET
    return ParameterMessage(name=name, value=value)


def _watched(node: Any, raised: list[str]) -> Any:
    """Note untyped exceptions of the transitions of a node; return what ends that."""
    originals = {name: getattr(node, name) for name in ("configure", "activate")}

    def watched(name: str) -> Any:
        def run(scope: Any) -> None:
            try:
                originals[name](scope)
            except OpenRALError:
                raise
            except Exception as error:
                raised.append(f"{name} raised {type(error).__name__}: {error}")
                raise

        return run

    for name in originals:
        setattr(node, name, watched(name))

    def restore() -> None:
        for name in originals:
            delattr(node, name)

    return restore
