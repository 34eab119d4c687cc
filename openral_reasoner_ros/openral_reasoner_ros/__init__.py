"""The reasoner lifecycle node: carries events to the mission core and its commands to the graph."""
