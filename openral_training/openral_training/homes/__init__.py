"""Procedural homes: floor plan, furniture, objects and looks from a seed; the problems of any scene."""
