"""Motions of base, head, arm and gripper, each commanded on its own, as controllers of real robots are."""
