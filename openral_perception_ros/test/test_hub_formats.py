"""Checkpoints as the hub has them, older than the library that reads them, without a hub."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = Path(os.environ.get("OPENRAL_ENVIRONMENTS", ROOT / ".environments"))
PYTHON = ENVIRONMENTS / "transformers-5" / "bin" / "python"
READ = """
import json, sys
from pathlib import Path
from openral_perception_ros.engines.zeroshot_hf.configurations import configuration
told = configuration(Path(sys.argv[1]), cache_size=9)
print(json.dumps(told.to_dict() | {"timm": told.timm_kwargs}))
"""
pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason="no environment 'transformers-5': openral weights prepare rtdetr-v2-r50vd"
)


def read(checkpoint: Path) -> dict[str, object]:
    paths = os.pathsep.join(str(ROOT / package) for package in ("openral_core", "openral_perception_ros"))
    variables = {**os.environ, "PYTHONPATH": paths, "HF_HUB_OFFLINE": "1"}
    command = [str(PYTHON), "-c", READ, str(checkpoint)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=90.0, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


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
    told = read(tmp_path)
    backbone = told["backbone_config"]
    assert isinstance(backbone, dict)
    assert (backbone["model_type"], backbone["backbone"]) == ("timm_backbone", "swin_tiny_patch4_window7_224")
    assert backbone["out_indices"] == [1, 2, 3]
    assert told["timm"] == {"img_size": 640, "always_partition": True}
    assert told["cache_size"] == 9


def test_a_backbone_that_is_spelt_out_stays_as_it_is(tmp_path: Path) -> None:
    own = {"model_type": "swin", "embed_dim": 24, "depths": [1, 1, 2, 1], "out_indices": [2, 3, 4]}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "omdet-turbo", "backbone_config": own}))
    backbone = read(tmp_path)["backbone_config"]
    assert isinstance(backbone, dict)
    assert (backbone["model_type"], backbone["embed_dim"]) == ("swin", 24)
