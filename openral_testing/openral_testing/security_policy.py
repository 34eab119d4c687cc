"""`openral security policy`: an SROS2 policy with the permissions that each node of the running graph uses.

NoNodes    no node runs in the domain
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

    from rclpy.node import Node


VERSION = "0.2.0"
"""Version of the policy format of sros2."""
SETTLED = 3.0
"""Time without a change after which discovery is taken to be complete [s]."""
POLL_PERIOD = 0.2
"""Time between two looks at the graph [s]."""
HIDDEN = "/_"
"""Part of the names of an action's topics and services, which its own permission covers."""
RULES: Mapping[str, tuple[str, str]] = {
    "publish": ("topics", "topic"),
    "subscribe": ("topics", "topic"),
    "reply": ("services", "service"),
    "request": ("services", "service"),
    "execute": ("actions", "action"),
    "call": ("actions", "action"),
}
"""Permissions of the policy format, with the elements that hold them."""
Permissions = dict[str, frozenset[str]]


class NoNodes(OpenRALError):
    """The domain has no node to describe."""

    def __init__(self, domain: int) -> None:
        super().__init__(
            f"no node runs in domain {domain}: start the graph, for example with deploy_sim.py, and run this "
            "in the same domain (ROS_DOMAIN_ID)"
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """Permissions of one node: names of topics, services and actions by rule."""

    enclave: str
    namespace: str
    node: str
    permissions: Permissions = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str]:
        """Identity of the node."""
        return self.enclave, self.namespace, self.node

    def merged(self, other: Profile) -> Profile:
        """Return the profile with the permissions of both."""
        none: frozenset[str] = frozenset()
        both = {rule: self.permissions.get(rule, none) | other.permissions.get(rule, none) for rule in RULES}
        return Profile(*self.key, {rule: names for rule, names in both.items() if names})


def merged(profiles: Iterable[Profile]) -> list[Profile]:
    """Merge the profiles of the same node, sorted by enclave."""
    by_node: dict[tuple[str, str, str], Profile] = {}
    for profile in profiles:
        by_node[profile.key] = profile.merged(by_node.get(profile.key, profile))
    return [by_node[key] for key in sorted(by_node)]


def observe_profiles(node: Node, namespace: str = "") -> list[Profile]:
    """Return the profile of every visible node in the graph, below a namespace."""
    profiles = []
    for name, own, enclave in node.get_node_names_and_namespaces_with_enclaves():
        inside = not namespace or own == namespace or own.startswith(f"{namespace}/")
        if inside and not name.startswith("_"):
            profiles.append(Profile(enclave, own, name, _permissions(node, name, own)))
    return merged(profiles)


def _permissions(node: Node, name: str, namespace: str) -> Permissions:
    from rclpy.action import (
        get_action_client_names_and_types_by_node,
        get_action_server_names_and_types_by_node,
    )

    listings = {
        "publish": node.get_publisher_names_and_types_by_node(name, namespace),
        "subscribe": node.get_subscriber_names_and_types_by_node(name, namespace),
        "reply": node.get_service_names_and_types_by_node(name, namespace),
        "request": node.get_client_names_and_types_by_node(name, namespace),
        "execute": get_action_server_names_and_types_by_node(node, name, namespace),
        "call": get_action_client_names_and_types_by_node(node, name, namespace),
    }
    permissions = {
        rule: frozenset(each for each, _ in names if HIDDEN not in each) for rule, names in listings.items()
    }
    return {rule: names for rule, names in permissions.items() if names}


def policy_of(profiles: Iterable[Profile]) -> str:
    """Write profiles as an SROS2 policy: everything that it does not allow is denied."""
    from xml.etree import ElementTree as ET

    root = ET.Element("policy", version=VERSION)
    enclaves = ET.SubElement(root, "enclaves")
    below: dict[str, ET.Element] = {}
    for profile in merged(profiles):
        if profile.enclave not in below:
            enclave = ET.SubElement(enclaves, "enclave", path=profile.enclave)
            below[profile.enclave] = ET.SubElement(enclave, "profiles")
        element = ET.SubElement(below[profile.enclave], "profile", ns=profile.namespace, node=profile.node)
        for rule, names in profile.permissions.items():
            group, item = RULES[rule]
            holder = ET.SubElement(element, group, {rule: "ALLOW"})
            for name in sorted(names):
                ET.SubElement(holder, item).text = name
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def profiles_of(policy: str) -> list[Profile]:
    """Read the profiles of a policy that `policy_of` wrote."""
    from xml.etree import ElementTree as ET

    profiles = []
    for enclave in ET.fromstring(policy).iter("enclave"):
        for profile in enclave.iter("profile"):
            permissions = {
                rule: frozenset(str(item.text) for item in holder)
                for holder in profile
                for rule in holder.attrib
                if rule in RULES
            }
            names = enclave.attrib["path"], profile.attrib["ns"], profile.attrib["node"]
            profiles.append(Profile(*names, permissions))
    return profiles


def settled_profiles(domain: int | None, namespace: str, settled: float = SETTLED) -> list[Profile]:
    """Return the profiles of a running graph once discovery brings nothing new.

    Raises:
        NoNodes: If there is no node.
    """
    import rclpy
    from rclpy.context import Context
    from rclpy.node import Node

    from openral_ros.discovery import init_rclpy

    context = Context()
    init_rclpy(context=context, domain=domain)
    node = Node("_openral_security", context=context, enable_rosout=False)
    try:
        profiles, since = observe_profiles(node, namespace), time.monotonic()
        while time.monotonic() - since < settled:
            time.sleep(POLL_PERIOD)
            now = merged((*profiles, *observe_profiles(node, namespace)))
            if now != profiles:
                profiles, since = now, time.monotonic()
        if not profiles:
            raise NoNodes(context.get_domain_id())
        return profiles
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)


security = typer.Typer(help="Prepare DDS security (SROS2).", no_args_is_help=True)
commands = typer.Typer()
commands.add_typer(security, name="security")


@security.command()
def policy(
    output: Annotated[Path, typer.Argument(help="policy file to write; an existing one is extended")],
    namespace: Annotated[str, typer.Option(help="describe only nodes below this namespace")] = "",
    domain_id: Annotated[int | None, typer.Option(help="ROS domain; default: ROS_DOMAIN_ID")] = None,
) -> None:
    """Write an SROS2 policy of the running graph: per node, the topics, services and actions that it uses.

    Run it again while the graph does something else: permissions add up.
    """
    before = profiles_of(output.read_text(encoding="utf-8")) if output.exists() else []
    profiles = merged((*before, *settled_profiles(domain_id, namespace.rstrip("/"))))
    output.write_text(policy_of(profiles), encoding="utf-8")
    enclaves = {profile.enclave for profile in profiles}
    typer.echo(f"{output}: {len(profiles)} nodes in {len(enclaves)} enclaves")
    for profile in profiles:
        if profile.enclave == "/":
            typer.echo(f"{profile.namespace.rstrip('/')}/{profile.node} has no enclave of its own", err=True)
