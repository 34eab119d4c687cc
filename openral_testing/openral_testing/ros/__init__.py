"""Test support on ROS: a robot that is played."""
