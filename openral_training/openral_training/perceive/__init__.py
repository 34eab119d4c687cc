"""Perception and memory over recordings, without a robot, compared with what was remembered."""
