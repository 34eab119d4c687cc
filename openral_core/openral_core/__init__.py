"""Frozen contracts: names, errors, geometry, detections, scene graph types and rSkill manifests."""

CONTRACT_VERSION = "1.10.0"
"""Version of the interfaces in openral_msgs; an additive change bumps the minor."""
