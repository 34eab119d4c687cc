"""The network: residual backbone, feature pyramid at strides 8, 16 and 32, and heads shared by its levels.

Source: residual blocks of He et al. 2016; pyramid with a second, bottom-up path of Liu et al. 2018 (PANet);
anchor-free box parameters of Ge et al. 2021 (YOLOX).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import nn

from openral_core.errors import OpenRALError, format_choices

STRIDES = (8, 16, 32)
"""Distances of neighbouring predictions of each level [px]."""
PRIOR = 0.01
"""Score of every class before training [1]; Lin et al. 2017 (focal loss)."""
OUTER_LAYERS = ("stem", "class_head", "box_head")
"""Layers next to the image and to the predictions."""
LARGEST_LOG_SIZE = 5.0
"""Largest logarithm of a box side relative to the stride [1]: 148 strides."""


class UnknownArchitecture(OpenRALError):
    """A name that is no architecture of this package."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown architecture {name!r}: valid are {format_choices(ARCHITECTURES)}")


@dataclass(frozen=True, slots=True)
class Architecture:
    """Size of a network.

    ``widths`` are the channels at strides 2, 4, 8, 16, 32 and ``depths`` the residual blocks of the last
    four; ``pyramid`` is the channels of pyramid and heads, ``head`` the convolutions of a head.
    """

    widths: tuple[int, int, int, int, int]
    depths: tuple[int, int, int, int]
    pyramid: int
    head: int


ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {
        "micro": Architecture((8, 8, 16, 16, 24), (0, 1, 1, 1), 16, 1),
        "tiny": Architecture((16, 32, 64, 96, 128), (1, 2, 2, 2), 64, 2),
        "small": Architecture((24, 40, 80, 144, 192), (1, 2, 3, 2), 80, 2),
    }
)
"""``micro`` is for tests of the machinery; ``tiny`` runs in some 30 ms on one core at 640x480."""


def _convolution(inputs: int, outputs: int, side: int = 3, stride: int = 1) -> nn.Sequential:
    layer = nn.Conv2d(inputs, outputs, side, stride, side // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two convolutions around which the input passes."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _convolution(channels, channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        nn.init.zeros_(self.norm.weight)  # each block starts as the identity

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        return torch.relu(features + self.norm(self.second(self.first(features))))


class GlobalContext(nn.Module):
    """Pools of growing size at the last stride, which give a prediction the whole image for context.

    Source: spatial pyramid pooling, as in YOLOv5 (Jocher 2020).
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.inside = _convolution(channels, channels // 2, 1)
        self.outside = _convolution(channels * 2, channels, 1)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        levels = [self.inside(features)]
        for _ in range(3):
            levels.append(torch.max_pool2d(levels[-1], 5, 1, 2))
        return self.outside(torch.cat(levels, 1))


class Tower(nn.Module):
    """Convolutions shared by all levels, which differ in statistics and have norms of their own.

    With shared norms, training normalises each level by itself, but inference by a mixture of all.
    Source: Lyu et al. 2022 (RTMDet).
    """

    def __init__(self, channels: int, depth: int) -> None:
        super().__init__()
        layers = [nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(depth)]
        self.convolutions = nn.ModuleList(layers)
        self.norms = nn.ModuleList(
            nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(depth)) for _ in STRIDES
        )

    def forward(self, features: torch.Tensor, level: int) -> torch.Tensor:
        """Return features of the same shape of one level, counted from the finest."""
        for convolution, norm in zip(self.convolutions, self.norms[level], strict=True):
            features = torch.relu(norm(convolution(features)))
        return features


class DetectionNetwork(nn.Module):
    """The detector; `forward` returns raw predictions of all levels.

    Args:
        architecture: Name in `ARCHITECTURES`.
        classes: Number of classes.
    """

    def __init__(self, architecture: str, classes: int) -> None:
        super().__init__()
        if architecture not in ARCHITECTURES:
            raise UnknownArchitecture(architecture)
        self.architecture, self.classes = architecture, classes
        shape = ARCHITECTURES[architecture]
        self.stem = _convolution(3, shape.widths[0], stride=2)
        self.stages = nn.ModuleList(
            nn.Sequential(_convolution(inputs, outputs, stride=2), *[Residual(outputs) for _ in range(depth)])
            for inputs, outputs, depth in zip(shape.widths, shape.widths[1:], shape.depths, strict=False)
        )
        self.context = GlobalContext(shape.widths[-1])
        channels = shape.pyramid
        self.lateral = nn.ModuleList(_convolution(width, channels, 1) for width in shape.widths[2:])
        self.down_path = nn.ModuleList(_convolution(channels, channels) for _ in STRIDES)
        self.shrink = nn.ModuleList(_convolution(channels, channels, stride=2) for _ in STRIDES[1:])
        self.up_path = nn.ModuleList(_convolution(channels, channels) for _ in STRIDES[1:])
        self.class_tower = Tower(channels, shape.head)
        self.box_tower = Tower(channels, shape.head)
        self.class_head = nn.Conv2d(channels, classes, 1)
        self.box_head = nn.Conv2d(channels, 4, 1)
        nn.init.normal_(self.class_head.weight, std=0.01)
        nn.init.constant_(self.class_head.bias, -math.log((1 - PRIOR) / PRIOR))
        nn.init.normal_(self.box_head.weight, std=0.01)
        nn.init.constant_(self.box_head.bias, 0.0)

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Predict logits (B, A, C) and boxes x_min, y_min, x_max, y_max [px] (B, A, 4).

        Args:
            images: RGB in [0, 1], shape (B, 3, H, W); H and W are multiples of 32.
        """
        levels = self._pyramid(images)
        logits = [self.class_head(self.class_tower(x, level)).flatten(2) for level, x in enumerate(levels)]
        raw = [self.box_head(self.box_tower(x, level)).flatten(2) for level, x in enumerate(levels)]
        points, strides = anchor_points(images.shape[-2], images.shape[-1], images.device)
        parameters = torch.cat(raw, 2).transpose(1, 2).float()
        return torch.cat(logits, 2).transpose(1, 2).float(), decode_boxes(parameters, points, strides)

    def _pyramid(self, images: torch.Tensor) -> list[torch.Tensor]:
        features, outputs = self.stem(images - 0.5), []
        for stage in self.stages:
            features = stage(features)
            outputs.append(features)
        outputs[-1] = self.context(outputs[-1])
        levels = [lateral(output) for lateral, output in zip(self.lateral, outputs[1:], strict=True)]
        for above in (2, 1):
            enlarged = nn.functional.interpolate(levels[above], scale_factor=2.0, mode="nearest")
            levels[above - 1] = levels[above - 1] + enlarged
        levels = [convolution(level) for convolution, level in zip(self.down_path, levels, strict=True)]
        for below in (0, 1):
            levels[below + 1] = self.up_path[below](levels[below + 1] + self.shrink[below](levels[below]))
        return levels


def anchor_points(
    height: int, width: int, device: torch.device | str = "cpu"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the centres (A, 2) [px] and strides (A,) [px] of all predictions of an image."""
    points, strides = [], []
    for stride in STRIDES:
        rows = torch.arange(height // stride, device=device, dtype=torch.float32) + 0.5
        columns = torch.arange(width // stride, device=device, dtype=torch.float32) + 0.5
        y, x = torch.meshgrid(rows, columns, indexing="ij")
        points.append(torch.stack([x, y], -1).reshape(-1, 2) * stride)
        strides.append(torch.full((points[-1].shape[0],), float(stride), device=device))
    return torch.cat(points), torch.cat(strides)


def decode_boxes(parameters: torch.Tensor, points: torch.Tensor, strides: torch.Tensor) -> torch.Tensor:
    """Decode offsets of the centre and logarithms of the sides, relative to the stride, to corners [px].

    Args:
        parameters: Shape (B, A, 4).
        points: Shape (A, 2) [px].
        strides: Shape (A,) [px].
    """
    centres = points + parameters[..., :2] * strides[:, None]
    halves = parameters[..., 2:].clamp(-LARGEST_LOG_SIZE, LARGEST_LOG_SIZE).exp() * strides[:, None] / 2
    return torch.cat([centres - halves, centres + halves], -1)
