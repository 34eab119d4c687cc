"""Conversions between core types and ROS messages."""
