"""Engines by name, imported only in the worker that runs them."""

import importlib
import sys
from collections.abc import Mapping

from openral_perception_ros.engines.engine import EngineLoader
from openral_perception_ros.engines.errors import MissingPackage

ENGINES: Mapping[str, str] = {
    "rtdetr_onnx": "openral_perception_ros.engines.rtdetr_onnx",
    "rtdetr_hf": "openral_perception_ros.engines.rtdetr_hf",
    "zeroshot_hf": "openral_perception_ros.engines.zeroshot_hf",
    "vlm_grounding": "openral_perception_ros.engines.vlm_grounding.engine",
    "sim_groundtruth": "openral_perception_ros.engines.sim_groundtruth",
}

BRINGS_CODE = frozenset({"vlm_grounding"})
"""Engines that run code which comes with the weights."""


def engine_loader(name: str) -> EngineLoader:
    """The ``load`` function of one engine's module.

    Raises:
        MissingPackage: If its libraries are not in this environment.
    """
    try:
        module = importlib.import_module(ENGINES[name])
    except ImportError as error:
        raise MissingPackage(name, error.name or str(error), sys.executable) from error
    loader: EngineLoader = module.load
    return loader
