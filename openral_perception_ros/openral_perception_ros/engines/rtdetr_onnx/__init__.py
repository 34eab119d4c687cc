"""RT-DETR and RT-DETRv2 by ONNX Runtime; needs no PyTorch."""

from openral_perception_ros.engines.rtdetr_onnx.engine import RtDetrOnnx, load

__all__ = ["RtDetrOnnx", "load"]
