"""Training of the local decision model on missions of the scripted planner."""
