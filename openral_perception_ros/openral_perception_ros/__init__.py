"""Detector lifecycle nodes, their worker processes and engines."""
