"""Playback of recordings through detectors and the world model, and the command `openral perceive`."""
