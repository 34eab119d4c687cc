"""What a detector node says to ROS and hears from it."""
