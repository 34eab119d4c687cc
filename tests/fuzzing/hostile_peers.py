"""Peers that answer nonsense, twice, late or never: odd responses to every client that a node has."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

from hypothesis import strategies as st
from rclpy.action import ActionClient, ActionServer

from fuzzing.message_values import Vocabulary, cases
from fuzzing.rig import Rig
from fuzzing.rounds import Door
from openral_ros.rclpy_internals import intercept_responses

WEIGHT = 0.1
"""Share of the cases of a subscription: every case needs the node to ask."""
ASKED = 3.0
"""Longest wait for the node to ask a peer [s]."""
LATE = 0.3
"""Delay of a late answer [s]."""
Manner = Literal["once", "twice", "late", "never"]
MANNERS: tuple[Manner, ...] = ("once", "once", "once", "twice", "late", "never")


class HostilePeers:
    """Services and actions that a rig's node asks, answered by its honest peers or by odd values."""

    def __init__(self, rig: Rig, vocabulary: Vocabulary) -> None:
        self._rig, self.vocabulary = rig, vocabulary
        self._odd: dict[str, tuple[Any, Manner]] = {}
        self._honest: dict[str, Any] = {}
        self._asked: dict[str, int] = {}
        self._late: list[tuple[float, Callable[[], None]]] = []
        self._services: set[str] = set()
        for node in rig.service_nodes():
            for service in node.services:
                self._intercept(service)
        self._servers = {
            each._action_type: each
            for node in rig.service_nodes()
            for each in node.waitables
            if isinstance(each, ActionServer)
        }

    def doors(self) -> Iterator[Door]:
        """Yield one door per client."""
        clients = {each.service_name: each for each in self._rig.node.clients}
        for name, client in sorted(clients.items()):
            if name not in self._services:
                self._intercept(self._rig.stranger.create_service(client.srv_type, name, _as_it_is))
            yield self._response_door(name, client.srv_type)
        for each in self._rig.node.waitables:
            if isinstance(each, ActionClient):
                yield self._result_door(each._action_name, each._action_type)

    def _response_door(self, name: str, kind: Any) -> Door:
        def odd() -> st.SearchStrategy[Any]:
            values = cases(kind.Response, self.vocabulary, self._honest.get(name))
            return st.tuples(values, st.sampled_from(MANNERS))

        def deliver(case: tuple[Any, Manner]) -> bool:
            self._asked[name], self._odd[name] = 0, case
            try:
                self._rig.provoke(lambda: self._asked[name] > 0, ASKED)
            finally:
                del self._odd[name]
            self._finish()
            return self._asked[name] > 0

        return Door(f"{self._rig.name} response {name}", odd, deliver, WEIGHT)

    def _result_door(self, name: str, kind: Any) -> Door:
        def odd() -> st.SearchStrategy[Any]:
            feedback = st.lists(cases(kind.Feedback, self.vocabulary), max_size=3)
            ends = st.sampled_from(("succeed", "abort", "nothing"))
            return st.tuples(cases(kind.Result, self.vocabulary), feedback, ends)

        def deliver(case: tuple[Any, list[Any], str]) -> bool:
            server = self._servers[kind]
            result, feedback, end = case
            asked: list[object] = []

            def execute(handle: Any) -> Any:
                asked.append(handle)
                for each in feedback:
                    handle.publish_feedback(each)
                getattr(handle, end, lambda: None)()
                return result

            honest = server._execute_callback
            server.register_execute_callback(execute)
            try:
                self._rig.provoke(lambda: asked, ASKED)
            finally:
                server.register_execute_callback(honest)
            self._finish()
            return bool(asked)

        return Door(f"{self._rig.name} result {name}", odd, deliver, WEIGHT)

    def _intercept(self, service: Any) -> None:
        name = service.service_name
        self._services.add(name)
        intercept_responses(service, lambda send: self._sending(name, send))

    def _sending(self, name: str, send: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def answer(response: Any, header: Any) -> None:
            self._asked[name] = self._asked.get(name, 0) + 1
            if name not in self._odd:
                self._honest.setdefault(name, response)
                send(response, header)
                return
            odd, manner = self._odd[name]
            if manner == "late":
                self._late.append((time.monotonic() + LATE, lambda: send(odd, header)))
            else:
                for _ in range({"never": 0, "twice": 2}.get(manner, 1)):
                    send(odd, header)

        return answer

    def _finish(self) -> None:
        """Send what is late and run what follows."""
        while self._late:
            due, send = self._late.pop(0)
            self._rig.until(partial(_is_past, due))
            send()
        self._rig.settle()


def _is_past(due: float) -> bool:
    return time.monotonic() > due


def _as_it_is(request: object, response: object) -> object:
    return response
