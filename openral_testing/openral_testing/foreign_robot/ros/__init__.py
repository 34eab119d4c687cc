"""The simulated robot behind the interfaces that other robots have: Nav2, MoveIt and ros2_control."""
