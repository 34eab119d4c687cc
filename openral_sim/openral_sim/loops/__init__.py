"""The simulation's loop without ROS: one period at a time, at a pace, each output at its rate."""

from openral_sim.loops.metronome import Metronome
from openral_sim.loops.pacing import Pacer
from openral_sim.loops.simulation import Simulation
from openral_sim.loops.wall_shares import WallShares

__all__ = ["Metronome", "Pacer", "Simulation", "WallShares"]
