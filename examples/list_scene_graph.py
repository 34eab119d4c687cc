"""Read the scene graph once and list what is where.

Usage: tools/env python examples/list_scene_graph.py
"""

import sys
import time
from collections import defaultdict

import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile

from openral_msgs.msg import SceneGraph
from openral_ros.conversions.spatial_memory import scene_graph_from_message

TOPIC = "openral/scene_graph"


def main() -> int:
    """Print every object below the room it is in; 0 if a graph arrived."""
    rclpy.init()
    node = rclpy.create_node("list_scene_graph")
    received: list[SceneGraph] = []
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(SceneGraph, TOPIC, received.append, latched)
    end = time.monotonic() + 30.0
    while not received and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.5)
    rclpy.shutdown()
    if not received:
        print(f"nothing on {TOPIC}: is the graph running in this ROS_DOMAIN_ID?")
        return 1

    graph = scene_graph_from_message(received[-1])
    rooms = {edge.source: edge.target for edge in graph.edges if edge.relation.name == "IN_ROOM"}
    by_room = defaultdict(list)
    for item in graph.nodes:
        if item.kind.name == "OBJECT":
            by_room[rooms.get(item.id, "unknown room")].append(item)
    for room, items in sorted(by_room.items()):
        print(room)
        for item in items:
            x, y, z = item.pose.position
            print(f"  {item.id}: {item.label} at ({x:.2f}, {y:.2f}, {z:.2f}) m, {item.presence.name.lower()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
