"""OmDet-Turbo by transformers: a frozen vocabulary, or whatever is asked for."""

from openral_perception_ros.engines.zeroshot_hf.engine import ZeroShotHf, load

__all__ = ["ZeroShotHf", "load"]
