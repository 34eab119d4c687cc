"""Time of a look with a frozen vocabulary: ``python -m benchmarks.torch.phrase_times FOLDER LOOKS``.

With the language cache, without it, and without it with phrases padded to 77 tokens as the reference does.
"""

import json
import statistics
import sys
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np

from openral_core.rskills import DetectorManifest, load_manifest
from openral_perception_ros.engines import EngineFrame, LoadOptions
from openral_perception_ros.engines.omdet_turbo import Prompt, ZeroShotHf, load

LONGEST = 77


def main() -> None:
    """Print one JSON object: way -> seconds per look."""
    folder, looks = Path(sys.argv[1]), int(sys.argv[2])
    engine = load(_manifest(folder), folder, LoadOptions())
    times = {"cached": seconds(engine, looks, forget=False)}
    times["encoded every frame"] = seconds(engine, looks, forget=True)
    tokenizer = engine._prompter._tokenizer

    def padded(texts: list[str]) -> Prompt:
        encoded = tokenizer(
            texts, padding="max_length", truncation=True, max_length=LONGEST, return_tensors="pt"
        )
        return {key: value.to("cpu") for key, value in encoded.items()}

    engine._prompter.prompt.cache_clear()
    with patch.object(engine._prompter, "_tokens", padded):
        times["encoded every frame, padded to 77"] = seconds(engine, max(looks // 3, 1), forget=True)
    sys.stdout.write(json.dumps(times) + "\n")


def _manifest(folder: Path) -> DetectorManifest:
    manifest = load_manifest(folder / "rskill.yaml")
    if not isinstance(manifest, DetectorManifest):
        raise SystemExit(f"{folder} holds a {manifest.kind}, not a detector")
    return manifest


def seconds(engine: ZeroShotHf, looks: int, forget: bool) -> float:
    """Median time of a look [s]; the first is not counted."""
    rng, taken = np.random.default_rng(0), []
    for _ in range(looks + (not forget)):
        frame = EngineFrame({"rgb": rng.integers(0, 255, (480, 640, 3), np.uint8)}, "head", 0)
        if forget:
            for cache in (engine._model.language_cache_class, engine._model.language_cache_prompt):
                cache.cache.clear()
                cache.current_load = 0
        begun = time.perf_counter()
        engine.detect(frame, None)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken if forget else taken[1:])


if __name__ == "__main__":
    main()
