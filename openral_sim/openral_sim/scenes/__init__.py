"""The scene a simulation runs: a home's map plus how it is furnished, populated, lit and seen."""

from openral_sim.scenes.document import SceneDocument
from openral_sim.scenes.placements import Jitter, Placement
from openral_sim.scenes.scene import Scene, load_scene
from openral_sim.scenes.styles import CameraStyle, FurnitureStyle, Light, PersonStyle, Trim
from openral_sim.scenes.walls import Opening, Wall

__all__ = [
    "CameraStyle",
    "FurnitureStyle",
    "Jitter",
    "Light",
    "Opening",
    "PersonStyle",
    "Placement",
    "Scene",
    "SceneDocument",
    "Trim",
    "Wall",
    "load_scene",
]
