"""Procedural triangle meshes with texture coordinates."""

from openral_sim.meshes.boxes import printed_box
from openral_sim.meshes.cartons import gabled_carton
from openral_sim.meshes.lathe import lathe
from openral_sim.meshes.loaf import loaf
from openral_sim.meshes.mesh import Mesh, use_mesh
from openral_sim.meshes.tube import tube

__all__ = ["Mesh", "gabled_carton", "lathe", "loaf", "printed_box", "tube", "use_mesh"]
