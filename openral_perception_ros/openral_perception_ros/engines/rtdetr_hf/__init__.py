"""RT-DETR and RT-DETRv2 by transformers."""

from openral_perception_ros.engines.rtdetr_hf.engine import RtDetrHf, load

__all__ = ["RtDetrHf", "load"]
