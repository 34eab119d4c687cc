"""Aliases of array types, one for each meaning; a docstring that needs more states the shape and the unit.

Every alias of `float64` is the same type to a checker: the names tell a reader what the numbers are.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Numbers of any shape."""
Vector2 = NDArray[np.float64]
"""A position, direction or size on the floor, shape (2,)."""
Vector3 = NDArray[np.float64]
"""A position, direction or size, shape (3,)."""
Points = NDArray[np.float64]
"""Positions as rows, shape (N, 3), or (N, 2) on the floor."""
Rotation = NDArray[np.float64]
"""A rotation matrix, shape (3, 3)."""
Transform = NDArray[np.float64]
"""A homogeneous transform, shape (4, 4): ``T_map_camera`` takes camera coordinates to map."""
Intrinsics = NDArray[np.float64]
"""The pinhole intrinsics K of a camera [px], shape (3, 3)."""
PlanarPose = NDArray[np.float64]
"""A pose on the floor: x [m], y [m] and yaw [rad], shape (3,)."""
Joints = NDArray[np.float64]
"""Positions of joints [rad], or [m] of a prismatic one, shape (J,)."""
Array32 = NDArray[np.float32]
"""Numbers of any shape, in the precision of models and depth images."""
Mask = NDArray[np.bool_]
"""True where something holds, of the shape of what it selects from."""
Indices = NDArray[np.intp]
"""Positions in another array."""
Image = NDArray[np.uint8]
"""An RGB image, shape (H, W, 3), or one channel of it, shape (H, W)."""
ImagePlane = NDArray[np.generic]
"""Pixels of one sensor, shape (H, W) or (H, W, 3); the dtype is the sensor's."""
