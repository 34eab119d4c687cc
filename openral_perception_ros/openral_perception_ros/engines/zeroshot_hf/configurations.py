"""A checkpoint's configuration, read without the hub."""

import json
from pathlib import Path
from typing import Any

from transformers import AutoConfig, PreTrainedConfig

from openral_perception_ros.engines.checkpoints import CONFIG_FILE

_OF_OLD = ("backbone", "backbone_kwargs", "use_timm_backbone", "use_pretrained_backbone")


def configuration(checkpoint: Path, **changes: object) -> PreTrainedConfig:
    """The configuration in a folder; a backbone that is only named is spelt out.

    Checkpoints older than transformers 5 name their timm backbone. transformers would ask the hub whether the
    name is a repository of its own, which a worker must not and an offline robot cannot.
    """
    told: dict[str, Any] = json.loads((checkpoint / CONFIG_FILE).read_text(encoding="utf-8"))
    name = told.get("backbone")
    if name and told.get("backbone_config") is None and told.get("use_timm_backbone", True):
        own = told.get("backbone_kwargs") or {}
        kept = {key: value for key, value in told.items() if key not in _OF_OLD}
        told = {**kept, "backbone_config": {"model_type": "timm_backbone", "backbone": name, **own}}
    return AutoConfig.for_model(**{**told, **changes})
