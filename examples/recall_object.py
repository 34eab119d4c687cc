"""Query spatial memory for an object.

Usage: tools/env python examples/recall_object.py mug
"""

import sys

import rclpy

from openral_msgs.srv import RecallObject

SERVICE = "openral/recall_object"


def main(query: str) -> int:
    """Print matches, or near misses, which say where to look; 0 if the object is known."""
    rclpy.init()
    node = rclpy.create_node("recall")
    client = node.create_client(RecallObject, SERVICE)
    if not client.wait_for_service(timeout_sec=30.0):
        print(f"{SERVICE} is not available: is the graph running in this ROS_DOMAIN_ID?")
        return 1
    future = client.call_async(RecallObject.Request(query=query))
    rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
    answer = future.result()
    print(f"status {answer.status}: {answer.message}")
    for match in answer.matches:
        at = match.pose.position
        print(f"{match.node_id}: ({at.x:.2f}, {at.y:.2f}, {at.z:.2f}) m in map, {match.place or match.room}")
    for match in answer.near_misses:
        print(f"near miss {match.node_id} ({match.label}): {match.why}")
    rclpy.shutdown()
    return 0 if answer.matches else 1


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "mug"))
