"""Whole missions in simulated homes, in one process and by the hundred."""
