"""Symbolic home in place of the robot: missions, chaos and search benchmarks; ROS only in `ros`."""
