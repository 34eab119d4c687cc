"""Faults that are brought into a launched graph, and what became of its missions."""
