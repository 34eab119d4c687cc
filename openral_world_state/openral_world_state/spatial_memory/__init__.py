"""Spatial memory: records of remembered objects, their indices and their SQLite store."""
