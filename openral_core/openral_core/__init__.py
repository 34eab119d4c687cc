"""Frozen contracts: names, errors, geometry, detections, scene graph types and rSkill manifests."""
