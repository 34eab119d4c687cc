"""The mapper node, and the robot during a tour."""
