"""ROS node of the world model."""
