"""Ask an on-demand detector whether an object is in view now.

Usage: tools/env python examples/ask_detector.py "red mug"
"""

import sys

import rclpy

from openral_msgs.srv import LocateInView

SERVICE = "openral/perception/locate_in_view"
"""The default locator; one detector is ``openral/perception/<slug>/locate_in_view``."""


def main(query: str) -> int:
    """Print the typed answer; 0 if the object is in view, 1 otherwise."""
    rclpy.init()
    node = rclpy.create_node("ask_detector")
    client = node.create_client(LocateInView, SERVICE)
    if not client.wait_for_service(timeout_sec=30.0):
        print(f"{SERVICE} is not available: is the graph running in this ROS_DOMAIN_ID?")
        return 1
    future = client.call_async(LocateInView.Request(query=query))
    rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
    answer = future.result()
    print(f"status {answer.status}: {answer.message}")
    for detection in answer.detections.detections:
        best, center = detection.results[0].hypothesis, detection.bbox.center.position
        print(f"{best.class_id} {best.score:.2f} at ({center.x:.0f}, {center.y:.0f}) px")
    rclpy.shutdown()
    return 0 if answer.status == LocateInView.Response.FOUND else 1


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "red mug"))
