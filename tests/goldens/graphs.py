"""The launched graph as another process sees it: nodes, topics and their quality of service, and so on."""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import rclpy
from graph.deployments import ROOT, Deployment
from rcl_interfaces.msg import ParameterDescriptor, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters
from rclpy.action import get_action_client_names_and_types_by_node, get_action_server_names_and_types_by_node
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python
from rclpy.topic_endpoint_info import TopicEndpointInfo

Content = dict[str, Any]
UP, ANSWER, SETTLED = 180.0, 20.0, 3.0
"""Bounds: until the graph is up, for a node's answer, and for a graph that changes no more [s]."""
HIDDEN = "/_"
VARYING = {"qos_overrides"}
"""Parameters that rclpy adds by itself."""
ON_DEMAND = {"/world_state": {"/head/image_raw", "/wrist/image_raw"}}
"""Subscriptions that come and go with what is in sight."""
TYPES = {
    value: name.removeprefix("PARAMETER_").lower()
    for name, value in vars(ParameterType).items()
    if name.startswith("PARAMETER_")
}


def launched(folder: Path, domain: int, *options: str) -> Content:
    """The graph that ``deploy_sim`` brings up without a goal."""
    with Deployment(folder, "--domain-id", str(domain), *options) as deployment:
        return running(deployment, domain)


def running(deployment: Deployment, domain: int) -> Content:
    """The graph of a deployment without a goal, once it is up."""
    deployment.wait_until_printed("/reasoner is active", UP)
    with Onlooker(domain) as onlooker:
        return onlooker.settled(paths={str(deployment.folder): "<record>", str(ROOT): "<root>"})


class Onlooker:
    """A node that only looks; use as a context manager."""

    def __init__(self, domain: int) -> None:
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = Node("_openral_onlooker", context=self._context, enable_rosout=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)

    def __enter__(self) -> "Onlooker":
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def settled(self, paths: Mapping[str, str]) -> Content:
        """The graph once it has looked the same for a while."""
        deadline, since, seen = time.monotonic() + UP, time.monotonic(), self._names()
        while time.monotonic() - since < SETTLED:
            assert time.monotonic() < deadline, f"the graph keeps changing: {seen}"
            self._executor.spin_once(timeout_sec=0.1)
            now = self._names()
            if now != seen:
                seen, since = now, time.monotonic()
        return {
            name: {**seen[name], "quality": self._quality(name), "parameters": self._parameters(name, paths)}
            for name in seen
        }

    def _names(self) -> Content:
        node, found = self._node, {}
        for name, namespace in sorted(node.get_node_names_and_namespaces()):
            if name.startswith("_"):
                continue
            by_node = (name, namespace)
            clients = get_action_client_names_and_types_by_node(node, *by_node)
            servers = get_action_server_names_and_types_by_node(node, *by_node)
            full = f"{namespace.rstrip('/')}/{name}"
            subscribed = node.get_subscriber_names_and_types_by_node(*by_node)
            lasting = [each for each in subscribed if each[0] not in ON_DEMAND.get(full, ())]
            found[full] = {
                "publishes": _typed(node.get_publisher_names_and_types_by_node(*by_node)),
                "subscribes": _typed(lasting),
                "serves": _typed(node.get_service_names_and_types_by_node(*by_node)),
                "asks": _typed(node.get_client_names_and_types_by_node(*by_node)),
                "acts": _typed(servers),
                "has_acted": _typed(clients),
            }
        return found

    def _quality(self, name: str) -> Content:
        """Reliability and durability of each of a node's publishers and subscriptions, by topic."""
        node, found = self._node, {}
        for topic in sorted(topic for topic, _ in node.get_topic_names_and_types() if HIDDEN not in topic):
            ends = {
                "publishes": node.get_publishers_info_by_topic(topic),
                "subscribes": node.get_subscriptions_info_by_topic(topic),
            }
            for way, item in ends.items():
                own = {_quality_of(end) for end in item if _full_name(end) == name}
                if own and not (way == "subscribes" and topic in ON_DEMAND.get(name, ())):
                    found[f"{way} {topic}"] = sorted(own)
        return found

    def _parameters(self, name: str, paths: Mapping[str, str]) -> Content:
        services = dict(self._node.get_service_names_and_types())
        if f"{name}/list_parameters" not in services:
            return {}
        listed = self._ask(ListParameters, f"{name}/list_parameters", ListParameters.Request())
        names = sorted(item for item in listed.result.names if item.split(".")[0] not in VARYING)
        described = self._ask(
            DescribeParameters, f"{name}/describe_parameters", DescribeParameters.Request(names=names)
        )
        # One by one: a parameter without a value makes rclpy answer with no values at all.
        asked = (GetParameters.Request(names=[item]) for item in names)
        values = [self._ask(GetParameters, f"{name}/get_parameters", item).values for item in asked]
        pairs = zip(names, described.descriptors, values, strict=True)
        return {item: _parameter(descriptor, value, paths) for item, descriptor, value in pairs}

    def _ask(self, kind: Any, name: str, request: Any) -> Any:
        client = self._node.create_client(kind, name)
        try:
            assert client.wait_for_service(ANSWER), name
            future = client.call_async(request)
            self._executor.spin_until_future_complete(future, ANSWER)
            assert future.done(), f"{name} did not answer within {ANSWER:g} s"
            return future.result()
        finally:
            self._node.destroy_client(client)


def _full_name(end: TopicEndpointInfo) -> str:
    return f"{end.node_namespace.rstrip('/')}/{end.node_name}"


def _quality_of(end: TopicEndpointInfo) -> str:
    return f"{end.qos_profile.reliability.name} {end.qos_profile.durability.name}".lower()


def _typed(found: Iterable[tuple[str, list[str]]]) -> dict[str, str]:
    return {name: " ".join(sorted(types)) for name, types in sorted(found) if HIDDEN not in name}


def _parameter(
    descriptor: ParameterDescriptor, values: Sequence[ParameterValue], paths: Mapping[str, str]
) -> Content:
    bounds = [*descriptor.floating_point_range, *descriptor.integer_range]
    return {
        "type": TYPES[descriptor.type],
        "value": [_placed(parameter_value_to_python(item), paths) for item in values],
        "read_only": descriptor.read_only,
        "bounds": [[bound.from_value, bound.to_value] for bound in bounds],
    }


def _placed(value: object, paths: Mapping[str, str]) -> object:
    """A value of this start; paths of this machine by what they are."""
    if isinstance(value, str):
        for path, name in paths.items():
            value = value.replace(path, name)
        return value
    return [_placed(item, paths) for item in value] if isinstance(value, list | tuple) else value
