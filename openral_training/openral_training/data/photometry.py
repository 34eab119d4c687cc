"""Appearance of a rendered image: light and colours of the home, the camera's exposure, blur and noise."""

from dataclasses import dataclass, fields

import cv2
import mujoco
import numpy as np

from openral_core.arrays import Array32, Image
from openral_sim.rendering.sensor import SENSORS, WHITE, SensorModel, SensorName


@dataclass(frozen=True)
class PhotometryConfig:
    """Settings of the appearance; a deviation is that of a factor's natural logarithm, unless noted."""

    brightness: float = 0.20  # Deviation of every light's brightness.
    ambience: float = 0.18  # Deviation of the brightness of the light from everywhere.
    tint: float = 0.035  # Deviation of every light's colours.
    lean: float = 0.2  # Deviation of the direction of a light, per axis of its unit vector [-].
    material: float = 0.12  # Deviation of the brightness of a material in one home.
    material_tint: float = 0.04  # Deviation of the colours of a material in one home.
    exposure: float = 0.16  # Deviation of the exposure.
    white_balance: float = 0.05  # Deviation of the gains of red and blue.
    gamma: float = 0.10  # Deviation of the exponent of the tone curve.
    saturation: tuple[float, float] = (0.75, 1.15)  # Bounds of the factor of saturation [-].
    blur_probability: float = 0.3  # Probability of defocus or motion blur [-].
    # Bounds of the blur's extent in an image of `REFERENCE_WIDTH` [px].
    blur: tuple[float, float] = (0.4, 1.4)
    noise_probability: float = 0.7  # Probability of noise [-].
    # Bounds of the strength of the sensor's noise relative to the model `realsense` [-].
    noise: tuple[float, float] = (0.2, 1.4)
    jpeg: tuple[int, int] = (60, 95)  # Bounds of the JPEG quality.


CONFIG = PhotometryConfig()
REFERENCE_WIDTH = 640
"""Width of the image that the extent of a blur refers to [px]."""
MOTION_SHARE = 0.5
"""Share of blurred images that are blurred by motion [-]; the others are out of focus."""


class Illumination:
    """Light and materials of a model, varied around those that it was built with."""

    def __init__(self, model: mujoco.MjModel, rng: np.random.Generator) -> None:
        self._model = model
        brightness = np.exp(rng.normal(0.0, CONFIG.material, (model.nmat, 1)))
        colours = np.exp(rng.normal(0.0, CONFIG.material_tint, (model.nmat, 3)))
        model.mat_rgba[:, :3] = np.clip(model.mat_rgba[:, :3] * brightness * colours, 0.0, 1.2)
        self._diffuse, self._direction = model.light_diffuse.copy(), model.light_dir.copy()
        headlight = model.vis.headlight
        self._headlight = {name: getattr(headlight, name).copy() for name in ("ambient", "diffuse")}

    def vary(self, rng: np.random.Generator) -> None:
        """Sample the light of one image."""
        model = self._model
        strength = np.exp(rng.normal(0.0, CONFIG.brightness, (model.nlight, 1)))
        tint = np.exp(rng.normal(0.0, CONFIG.tint, (1, 3)))
        model.light_diffuse[:] = np.clip(self._diffuse * strength * tint, 0.0, 1.0)
        leaning = self._direction + rng.normal(0.0, CONFIG.lean, (model.nlight, 3))
        model.light_dir[:] = leaning / np.linalg.norm(leaning, axis=1, keepdims=True)
        for name, usual in self._headlight.items():
            gain = np.exp(rng.normal(0.0, CONFIG.ambience)) * tint[0]
            getattr(model.vis.headlight, name)[:] = np.clip(usual * gain, 0.0, 0.8)


def develop(rgb: Image, rng: np.random.Generator) -> Image:
    """Return an image as a camera with other settings, a little blur and noise would have taken it."""
    gains = np.exp(rng.normal(0.0, (CONFIG.white_balance, 0.0, CONFIG.white_balance)))
    gains *= np.exp(rng.normal(0.0, CONFIG.exposure))
    levels = np.clip(np.arange(256)[:, None] / WHITE * gains, 0.0, 1.0) ** np.exp(
        rng.normal(0.0, CONFIG.gamma)
    )
    image = cv2.LUT(rgb, np.rint(WHITE * levels).astype(np.uint8)[None])
    saturation = rng.uniform(*CONFIG.saturation)
    image = cv2.transform(image, saturation * np.eye(3) + (1.0 - saturation) / 3)
    if rng.random() < CONFIG.blur_probability:
        image = _blurred(image, rng)
    if rng.random() < CONFIG.noise_probability:
        image = noisy_sensor(rng).expose(image, float(rng.uniform(0.0, 100.0)), rng)
    return np.asarray(image)


def noisy_sensor(rng: np.random.Generator) -> SensorModel:
    """Sample a sensor whose colour errors are those of `realsense`, stronger or weaker."""
    strength, like = float(rng.uniform(*CONFIG.noise)), SENSORS[SensorName.REALSENSE]
    names = ("shot_noise", "read_noise", "flicker")
    return SensorModel(
        **{field.name: strength * getattr(like, field.name) for field in fields(like) if field.name in names}
    )


def encode_jpeg(rgb: Image, rng: np.random.Generator) -> bytes:
    """Encode an image with a random quality."""
    quality = int(rng.integers(CONFIG.jpeg[0], CONFIG.jpeg[1], endpoint=True))
    _, encoded = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return bytes(encoded)


def encode_depth(depth: Array32) -> bytes:
    """Encode depth [m] as a PNG of 16 bits in millimetres, 0 where unknown."""
    millimetres = np.clip(np.rint(depth * 1000.0), 0, 65535).astype(np.uint16)
    _, encoded = cv2.imencode(".png", millimetres)
    return bytes(encoded)


def _blurred(image: Image, rng: np.random.Generator) -> Image:
    extent = float(rng.uniform(*CONFIG.blur)) * image.shape[1] / REFERENCE_WIDTH
    if rng.random() > MOTION_SHARE:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), extent))
    side = 2 * int(np.ceil(2 * extent)) + 1
    kernel = np.zeros((side, side), np.float32)
    angle, middle = rng.uniform(0.0, np.pi), side // 2
    offset = np.array([np.cos(angle), np.sin(angle)]) * 2 * extent
    ends = [tuple(int(v) for v in np.rint(middle + sign * offset)) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()))
