"""Checkpoints as the hub has them, older than the library that reads them, without a hub."""

import json
from pathlib import Path

from torch_environments import DETECTION, in_environment, needs

READ = """
import json, sys
from pathlib import Path
from openral_perception_ros.engines.zeroshot_hf import configuration
for folder in sys.argv[1:]:
    told = configuration(Path(folder), cache_size=9)
    print(json.dumps(told.to_dict() | {"timm": told.timm_kwargs}))
"""
pytestmark = needs(DETECTION)


def test_a_backbone_that_is_only_named_is_spelt_out_and_one_that_is_spelt_out_stays(tmp_path: Path) -> None:
    named = {
        "model_type": "omdet-turbo",
        "backbone": "swin_tiny_patch4_window7_224",
        "backbone_config": None,
        "backbone_kwargs": {"always_partition": True, "img_size": 640, "out_indices": [1, 2, 3]},
        "use_timm_backbone": True,
        "use_pretrained_backbone": False,
        "cache_size": 100,
    }
    own = {"model_type": "swin", "embed_dim": 24, "depths": [1, 1, 2, 1], "out_indices": [2, 3, 4]}
    for name, content in {
        "named": named,
        "own": {"model_type": "omdet-turbo", "backbone_config": own},
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(content))
    printed = in_environment("-c", READ, str(tmp_path / "named"), str(tmp_path / "own"))
    spelt_out, kept = (json.loads(line) for line in printed.splitlines()[-2:])
    backbone = spelt_out["backbone_config"]
    assert (backbone["model_type"], backbone["backbone"]) == ("timm_backbone", "swin_tiny_patch4_window7_224")
    assert backbone["out_indices"] == [1, 2, 3]
    assert spelt_out["timm"] == {"img_size": 640, "always_partition": True}
    assert spelt_out["cache_size"] == 9
    assert (kept["backbone_config"]["model_type"], kept["backbone_config"]["embed_dim"]) == ("swin", 24)
