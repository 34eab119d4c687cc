"""The shared ROS shell: parameters, lifecycle transitions, QoS, message conversions, trace context."""
