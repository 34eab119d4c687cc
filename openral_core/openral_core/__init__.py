"""Frozen contracts: names, errors, geometry, detections, scene graph types and rSkill manifests."""

CONTRACT_VERSION = "2.0.0"
"""Version of the interfaces in openral_msgs; an additive change bumps the minor, a removal the major."""
