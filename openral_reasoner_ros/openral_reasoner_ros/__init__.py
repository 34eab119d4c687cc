"""Reasoner lifecycle node: connects the mission core to the ROS graph."""
