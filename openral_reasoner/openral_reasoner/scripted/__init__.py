"""Scripted planner: a model without a network, from a grammar of goals."""
