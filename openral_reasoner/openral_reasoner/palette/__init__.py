"""Palette."""
