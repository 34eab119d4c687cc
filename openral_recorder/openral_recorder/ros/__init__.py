"""Recorder node, its commands, and the conversion of images for recordings."""
