"""Robots of the simulation: each is a description, a model, and what the planners derive from them."""
