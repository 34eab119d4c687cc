"""Off-screen renderer of one model in an OpenGL context of its own."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Array32, Image
from openral_sim.rendering.gl import open_gl

MAX_GEOMS = 2000
"""Capacity of the visual scene [geoms]."""
HIDDEN_GROUPS = (3, 4, 5)
"""MuJoCo geom groups that are not rendered: collision geoms and sites."""
SKY_DISTANCE = 18.0
"""Depth from which a pixel counts as sky [m]; no room is as deep."""


class SceneView:
    """Off-screen view of a model, read back as colour and depth; belongs to the thread that created it."""

    def __init__(self, model: mujoco.MjModel, width: int, height: int, shadows: bool = True) -> None:
        self._model = model
        self._gl = open_gl(width, height)
        self._gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_resizeOffscreen(width, height, self._context)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR.value
        self._scene = mujoco.MjvScene(model, MAX_GEOMS)
        self.cast_shadows(shadows)
        self._option = mujoco.MjvOption()
        for group in HIDDEN_GROUPS:
            self._option.geomgroup[group] = 0
        self._viewport = mujoco.MjrRect(0, 0, width, height)

    def close(self) -> None:
        """Free the context; the view cannot render afterwards."""
        self._gl.make_current()
        self._context.free()
        self._gl.free()

    def update(self, data: mujoco.MjData, camera: mujoco.MjvCamera) -> None:
        """Set the state and the camera to render."""
        mask = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, data, self._option, None, camera, mask, self._scene)

    def render(self) -> tuple[Image, Array32]:
        """Render colour, shape (H, W, 3), and depth along the optical axis [m], shape (H, W), 0 for none.

        Depth is that of the first surface, transparent or not: the simulated range camera sees glass.
        """
        rgb, depth = self._render()
        if any(geom.transparent for geom in self._scene.geoms[: self._scene.ngeom]):
            depth = self._render_ids()[1]
        return rgb, self._metres(depth)

    def render_geom_ids(self) -> NDArray[np.int32]:
        """Render the id of the geom visible in each pixel, -1 for none, shape (H, W)."""
        return self._geom_ids(self._render_ids()[0])

    def render_labelled(self) -> tuple[Image, Array32, NDArray[np.int32]]:
        """Render colour, depth and geom ids, as `render` and `render_geom_ids` do, in two passes."""
        colour = self._render()[0]
        ids, depth = self._render_ids()
        return colour, self._metres(depth), self._geom_ids(ids)

    def cast_shadows(self, shadows: bool) -> None:
        """Render shadows from now on, or not."""
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows

    def _metres(self, depth: Array32) -> Array32:
        extent = self._model.stat.extent
        near, far = self._model.vis.map.znear * extent, self._model.vis.map.zfar * extent
        # Reversed depth, 0 at the far plane and 1 at the near one, keeps its precision far away.
        metres = near * far / (near + depth * (far - near))
        return np.where(metres < SKY_DISTANCE, metres, 0.0).astype(np.float32)

    def _geom_ids(self, rgb: Image) -> NDArray[np.int32]:
        colours = rgb[..., 0] + rgb[..., 1].astype(np.int32) * 256 + rgb[..., 2].astype(np.int32) * 65536
        # Table from id colour (0 for background) to geom id.
        table = np.full(self._scene.ngeom + 1, -1, dtype=np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM.value and geom.segid >= 0:
                table[geom.segid + 1] = geom.objid
        geoms: NDArray[np.int32] = table[colours]
        return geoms

    def _render_ids(self) -> tuple[Image, Array32]:
        """Render every geom in the colour of its id, without blending."""
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        images = self._render()
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = False
        return images

    def _render(self) -> tuple[Image, Array32]:
        self._gl.make_current()
        mujoco.mjr_render(self._viewport, self._scene, self._context)
        shape = (self._viewport.height, self._viewport.width)
        rgb, depth = np.empty((*shape, 3), np.uint8), np.empty(shape, np.float32)
        mujoco.mjr_readPixels(rgb, depth, self._viewport, self._context)
        return rgb[::-1], depth[::-1]
