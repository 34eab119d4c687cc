"""One OpenGL context drawing one model; belongs to the thread that made it."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_sim.gl import open_gl

_MAX_GEOMS = 2000
_HIDDEN_GROUPS = (3, 4, 5)
_SKY = 18.0
"""No room is as deep as this [m]; the sky is drawn beyond it."""


class SceneView:
    """Draws a model off screen; reads back colour and depth in one pass."""

    def __init__(self, model: mujoco.MjModel, width: int, height: int, shadows: bool = True) -> None:
        self._model = model
        self._gl = open_gl(width, height)
        self._gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_resizeOffscreen(width, height, self._context)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR.value
        self._scene = mujoco.MjvScene(model, _MAX_GEOMS)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        self._option = mujoco.MjvOption()
        for group in _HIDDEN_GROUPS:
            self._option.geomgroup[group] = 0
        self._viewport = mujoco.MjrRect(0, 0, width, height)

    def close(self) -> None:
        """Free the context; the view cannot draw afterwards."""
        self._gl.make_current()
        self._context.free()
        self._gl.free()

    def look(self, data: mujoco.MjData, camera: mujoco.MjvCamera) -> None:
        """Take over the state to draw."""
        mask = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, data, self._option, None, camera, mask, self._scene)

    def draw(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Colour (H, W, 3) and depth along the optical axis (H, W) in [m], 0 where nothing was drawn.

        Depth is that of the first surface, clear or not: a range camera blind to glass is not simulated.
        """
        rgb, depth = self._render()
        if self._shows_clear_things():
            depth = self._render_ids()[1]
        extent = self._model.stat.extent
        near, far = self._model.vis.map.znear * extent, self._model.vis.map.zfar * extent
        # Reversed depth, 0 at the far plane and 1 at the near one, keeps its precision far away.
        metres = near * far / (near + depth * (far - near))
        return rgb, np.where(metres < _SKY, metres, 0.0).astype(np.float32)

    def draw_geom_ids(self) -> NDArray[np.int32]:
        """The id of the geom seen in each pixel, -1 where there is none, shape (H, W)."""
        rgb, _ = self._render_ids()
        drawn = rgb[..., 0] + rgb[..., 1].astype(np.int32) * 256 + rgb[..., 2].astype(np.int32) * 65536
        geoms: NDArray[np.int32] = self._geom_of_drawn()[drawn]
        return geoms

    def _geom_of_drawn(self) -> NDArray[np.int32]:
        """From drawn id colour (0 for background) to geom id."""
        table = np.full(self._scene.ngeom + 1, -1, dtype=np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM.value and geom.segid >= 0:
                table[geom.segid + 1] = geom.objid
        return table

    def _shows_clear_things(self) -> bool:
        return any(geom.transparent for geom in self._scene.geoms[: self._scene.ngeom])

    def _render_ids(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Everything in the colour of its id, nothing blended."""
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        drawn = self._render()
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = False
        return drawn

    def _render(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        self._gl.make_current()
        mujoco.mjr_render(self._viewport, self._scene, self._context)
        shape = (self._viewport.height, self._viewport.width)
        rgb, depth = np.empty((*shape, 3), np.uint8), np.empty(shape, np.float32)
        mujoco.mjr_readPixels(rgb, depth, self._viewport, self._context)
        return rgb[::-1], depth[::-1]
