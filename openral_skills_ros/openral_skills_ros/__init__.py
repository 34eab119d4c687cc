"""Skill server of real robots: ExecuteRskill by Nav2, MoveIt, ros2_control and any other action."""
