"""A skill server in a process of its own: ``python serve_robot.py ROBOT_YAML PID_FILE``."""

import os
import sys
from pathlib import Path

import rclpy
from foreign_robot import skill_server


def main(robot: str, pid_file: str) -> None:
    rclpy.init()
    node = skill_server(rclpy.get_default_context(), Path(robot))
    node.trigger_configure()
    node.trigger_activate()
    Path(pid_file).write_text(str(os.getpid()))
    rclpy.spin(node)


if __name__ == "__main__":
    main(*sys.argv[1:])
