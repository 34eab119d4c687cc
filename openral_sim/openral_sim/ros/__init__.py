"""The simulation as a lifecycle node: cameras, transforms, clock and the skill server."""
