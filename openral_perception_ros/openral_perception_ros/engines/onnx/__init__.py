"""Engine for ONNX files of any detector family: layouts of outputs, their decoders, and checks of both."""

from openral_perception_ros.engines.onnx.engine import load

__all__ = ["load"]
