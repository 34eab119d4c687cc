"""Grasps of a parallel gripper from measured points: segmentation, approaches and candidates. Pure."""
