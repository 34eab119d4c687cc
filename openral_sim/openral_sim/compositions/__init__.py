"""A scene composed into one MuJoCo specification."""

from openral_sim.compositions.compose import AddRobot, Composition, compose

__all__ = ["AddRobot", "Composition", "compose"]
