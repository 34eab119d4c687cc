"""Furniture: its kinds, doors, drawers and handles."""
