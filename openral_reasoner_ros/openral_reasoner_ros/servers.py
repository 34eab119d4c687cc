"""Whether somebody serves a name, whoever it is."""

from rclpy.node import Node, NodeNameNonExistentError

from openral_reasoner_ros.probes import QUESTIONS, Probe, Silence
from openral_ros.scopes import Scope


class Server:
    """The nodes behind a service, found by discovery and then asked again and again.

    One that can be asked nothing lives for as long as discovery says so.
    """

    def __init__(self, scope: Scope, node: Node, service: str, timeout: float) -> None:
        self._scope, self._node, self._timeout = scope, node, timeout
        self._service = node.resolve_service_name(service)
        self._probes: dict[str, Probe] = {}
        self._silence = Silence(timeout)
        self._mute = False

    @property
    def serves(self) -> bool:
        """Whether one of them answers and is active, or was heard a moment ago."""
        return (
            self._mute or not self._silence.too_long or any(probe.serves for probe in self._probes.values())
        )

    def heard(self) -> None:
        """It spoke of its own accord; when busy it may do only that."""
        self._silence.broken()

    def poll(self) -> None:
        """Find who serves, and ask."""
        self._silence.listen()
        if not any(probe.alive for probe in self._probes.values()):
            self._find()
        for probe in self._probes.values():
            probe.poll()

    def _find(self) -> None:
        self._mute = False
        for name, namespace in set(self._node.get_node_names_and_namespaces()):
            offers = self._offers(name, namespace)
            full = f"{namespace.rstrip('/')}/{name}"
            if self._service not in offers or full in self._probes:
                continue
            question = next((each for each in QUESTIONS if f"{full}/{each}" in offers), None)
            if question is None:
                self._mute = True
            else:
                self._probes[full] = Probe(self._scope, self._node, full, self._timeout, question)

    def _offers(self, name: str, namespace: str) -> set[str]:
        try:
            found = self._node.get_service_names_and_types_by_node(name, namespace)
        except NodeNameNonExistentError:
            return set()
        return {service for service, _ in found}
