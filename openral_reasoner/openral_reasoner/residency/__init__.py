"""Residency."""
