"""Frames for lessons, from recordings and from a running robot."""
