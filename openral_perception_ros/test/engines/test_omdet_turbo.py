"""Checkpoints as the hub has them, older than the library that reads them, without a hub."""

import json
from pathlib import Path

from torch_environments import DETECTION, in_environment, needs

READ = """
import json, sys
from pathlib import Path
from openral_perception_ros.engines.omdet_turbo import configuration
told = configuration(Path(sys.argv[1]), cache_size=9)
print(json.dumps(told.to_dict() | {"timm": told.timm_kwargs}))
"""
pytestmark = needs(DETECTION)


def read(checkpoint: Path) -> dict[str, object]:
    reported = in_environment("-c", READ, str(checkpoint))
    return dict(json.loads(reported.splitlines()[-1]))


def test_a_backbone_that_is_only_named_is_spelt_out_without_asking_the_hub(tmp_path: Path) -> None:
    named = {
        "model_type": "omdet-turbo",
        "backbone": "swin_tiny_patch4_window7_224",
        "backbone_config": None,
        "backbone_kwargs": {"always_partition": True, "img_size": 640, "out_indices": [1, 2, 3]},
        "use_timm_backbone": True,
        "use_pretrained_backbone": False,
        "cache_size": 100,
    }
    (tmp_path / "config.json").write_text(json.dumps(named))
    reported = read(tmp_path)
    backbone = reported["backbone_config"]
    assert isinstance(backbone, dict)
    assert (backbone["model_type"], backbone["backbone"]) == ("timm_backbone", "swin_tiny_patch4_window7_224")
    assert backbone["out_indices"] == [1, 2, 3]
    assert reported["timm"] == {"img_size": 640, "always_partition": True}
    assert reported["cache_size"] == 9


def test_a_backbone_that_is_spelt_out_stays_as_it_is(tmp_path: Path) -> None:
    own = {"model_type": "swin", "embed_dim": 24, "depths": [1, 1, 2, 1], "out_indices": [2, 3, 4]}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "omdet-turbo", "backbone_config": own}))
    backbone = read(tmp_path)["backbone_config"]
    assert isinstance(backbone, dict)
    assert (backbone["model_type"], backbone["embed_dim"]) == ("swin", 24)
