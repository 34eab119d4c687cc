"""Procedural homes: floor plan, furniture, objects and appearance sampled from a seed."""
