"""ROS node of the simulation: cameras, transforms, clock and the skill server."""
