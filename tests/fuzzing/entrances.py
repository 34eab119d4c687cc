"""Entrances of a node as the graph shows them, and how a case is put through each of them."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from hypothesis import strategies as st
from rclpy.action import ActionClient, get_action_server_names_and_types_by_node
from rclpy.serialization import deserialize_message, serialize_message

from fuzzing.message_values import Vocabulary, cases, words_of
from fuzzing.rig import PATIENCE, Rig

SUBSCRIPTION, SERVICE, ACTION = "subscription", "service", "action"
ANSWER = 20.0
"""Longest wait for the answer to an odd request [s]."""
MAX_DEADLINE = 1.0
"""Longest deadline of a fuzzed goal [s]: a robot that moves for a minute is no case."""
WORDS = 60
SHUTDOWN = {5, 6, 7, "shutdown"}
"""Transitions after which a node cannot come back."""


@dataclass(frozen=True)
class Entrance:
    """One way into a node."""

    node: str
    kind: str
    name: str
    type: Any

    def __str__(self) -> str:
        return f"{self.node} {self.kind} {self.name}"


@dataclass
class Attack:
    """Cases for the entrances of one rig."""

    rig: Rig
    templates: dict[Entrance, Any] = field(default_factory=dict)

    def entrances(self) -> tuple[Entrance, ...]:
        """Return every entrance that the graph shows for the node and its hidden helper nodes."""
        found = {*self._subscriptions(), *self._services(), *self._actions()}
        return tuple(sorted(found, key=str))

    def learn(self) -> None:
        """Keep one accepted message per entrance from the traffic of a normal question."""
        watched = {each.topic_name: each for each in self.rig.node.subscriptions}
        originals = {name: subscription.callback for name, subscription in watched.items()}
        for entrance in self.entrances():
            if entrance.kind == SUBSCRIPTION:
                watched[entrance.name].callback = self._keeping(entrance, originals[entrance.name])
        try:
            self.rig.ask()
        finally:
            for name, subscription in watched.items():
                subscription.callback = originals[name]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Words of the accepted messages, and the time of the node."""
        words = dict.fromkeys(word for each in self.templates.values() for word in words_of(each))
        clock = self.rig.node.get_clock()
        return Vocabulary(tuple(words)[:WORDS] or ("map",), lambda: clock.now().nanoseconds / 1e9)

    def strategy(self, entrance: Entrance) -> st.SearchStrategy[Any]:
        """Return cases for an entrance."""
        request = {SERVICE: "Request", ACTION: "Goal"}.get(entrance.kind)
        message_type = getattr(entrance.type, request) if request else entrance.type
        return cases(message_type, self.vocabulary, self.templates.get(entrance))

    def deliver(self, entrance: Entrance, message: Any) -> None:
        """Put one case through an entrance and run what follows from it.

        Raises:
            AssertionError: If a request is not answered.
        """
        {SUBSCRIPTION: self._publish, SERVICE: self._request, ACTION: self._goal}[entrance.kind](
            entrance, message
        )
        self.rig.settle()

    def _publish(self, entrance: Entrance, message: Any) -> None:
        """Call the subscription as the executor would, with what the wire makes of the message."""
        wire = serialize_message(message)
        for subscription in list(self.rig.node.subscriptions):
            if subscription.topic_name == entrance.name:
                received = wire if subscription.raw else deserialize_message(wire, entrance.type)
                self.rig.inject(subscription.callback, received)

    def _request(self, entrance: Entrance, request: Any) -> None:
        if hasattr(request, "transition") and {request.transition.id, request.transition.label} & SHUTDOWN:
            request.transition.id, request.transition.label = 0, ""  # that the node obeys it is no finding
        client = self._client(entrance)
        answer = client.call_async(request)
        self.rig.until(answer.done, ANSWER)
        assert answer.result() is not None

    def _goal(self, entrance: Entrance, goal: Any) -> None:
        if hasattr(goal, "deadline"):
            goal.deadline = min(goal.deadline, MAX_DEADLINE) if goal.deadline > 0.0 else MAX_DEADLINE
        client = self._client(entrance)
        sent = client.send_goal_async(goal)
        self.rig.until(sent.done, ANSWER)
        if sent.result().accepted:
            result = sent.result().get_result_async()
            self.rig.until(result.done, ANSWER)

    def _client(self, entrance: Entrance) -> Any:
        if not hasattr(self, "_clients"):
            self._clients: dict[Entrance, Any] = {}
        if entrance not in self._clients:
            stranger = self.rig.stranger
            if entrance.kind == ACTION:
                made: Any = ActionClient(stranger, entrance.type, entrance.name)
                self.rig.until(made.server_is_ready)
            else:
                made = stranger.create_client(entrance.type, entrance.name)
                self.rig.until(made.service_is_ready)
            self._clients[entrance] = made
        return self._clients[entrance]

    def close(self) -> None:
        """Destroy the clients."""
        for client in getattr(self, "_clients", {}).values():
            client.destroy()

    def _keeping(self, entrance: Entrance, callback: Callable[[Any], None]) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            if entrance not in self.templates:
                raw = isinstance(message, bytes)
                self.templates[entrance] = deserialize_message(message, entrance.type) if raw else message
            callback(message)

        return keep

    def _subscriptions(self) -> Iterator[Entrance]:
        for each in self.rig.node.subscriptions:
            yield Entrance(self.rig.name, SUBSCRIPTION, each.topic_name, each.msg_type)

    def _services(self) -> Iterator[Entrance]:
        for name, types in self._in_graph("get_service_names_and_types_by_node"):
            if "/_action/" not in name:
                yield Entrance(self.rig.name, SERVICE, name, _class(types[0]))

    def _actions(self) -> Iterator[Entrance]:
        node = self.rig.node
        found = get_action_server_names_and_types_by_node(
            self.rig.stranger, node.get_name(), node.get_namespace()
        )
        for name, types in found:
            yield Entrance(self.rig.name, ACTION, name, _class(types[0]))

    def _in_graph(self, query: str) -> Iterator[tuple[str, list[str]]]:
        """Ask the graph about the node and its hidden helpers once discovery knows them."""
        node, stranger = self.rig.node, self.rig.stranger
        own = (node.get_name(), node.get_namespace())
        self.rig.until(lambda: own in stranger.get_node_names_and_namespaces())
        for name, namespace in stranger.get_node_names_and_namespaces():
            if (name, namespace) == own or name == f"_{own[0]}_door":
                yield from getattr(stranger, query)(name, namespace)


def _class(type_name: str) -> Any:
    package, kind, name = type_name.split("/")
    return getattr(import_module(f"{package}.{kind}"), name)


def patience() -> float:
    """Return the bound after which a case counts as hung [s]."""
    return PATIENCE + ANSWER + time.get_clock_info("monotonic").resolution
