"""Procedural."""
