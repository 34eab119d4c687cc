"""Skill server of real robots: ExecuteRskill carried out by Nav2, ros2_control and any other ROS action."""
