"""Furniture from detections with depth: voxels of pieces in map, their tracks, and what is built of them."""
