"""Spatial memory."""
