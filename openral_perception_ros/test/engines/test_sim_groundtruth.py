from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from openral_core.documents import InvalidDocument
from openral_core.rskills import DetectorManifest, Registry
from openral_perception_ros.engines import EngineFrame, LoadOptions, MissingImagePlane
from openral_perception_ros.engines.errors import EmptyQuery
from openral_perception_ros.engines.sim_groundtruth import SimGroundtruth, load

EXACT = {"min_visible_pixels": 20, "box_noise_px": 0.0, "miss_rate": 0.0}


def engine_of(manifest: DetectorManifest, folder: Path, seed: int = 0, **options: float) -> SimGroundtruth:
    return load(manifest.model_copy(update={"options": {**EXACT, **options}}), folder, LoadOptions(seed))


@pytest.fixture
def continuous(rskills: Path) -> tuple[DetectorManifest, Path]:
    registry = Registry.load([rskills])
    return registry.detector("sim-groundtruth"), registry.folder("sim-groundtruth")


def boxes(engine: SimGroundtruth, frame: EngineFrame, *terms: str) -> dict[tuple[float, ...], str]:
    return {
        (item.box.x_min, item.box.y_min, item.box.x_max, item.box.y_max): item.label
        for item in engine.detect(frame, terms or None)
    }


@pytest.mark.parametrize(
    ("term", "instances"),
    [
        ("red mug", {1}),
        ("mug", {1, 5}),
        ("cup", {1, 5}),
        ("blue mug", {5}),
        ("green mug", set()),
        ("baguette", {2}),
        ("bread", {2}),
        ("bottle of wine", {3}),
        ("bottle", {3}),
        ("unicorn", set()),
    ],
)
def test_on_demand_grounds_names_synonyms_and_attributes(
    manifest: DetectorManifest,
    folder: Path,
    scene: EngineFrame,
    scene_boxes: dict,
    term: str,
    instances: set[int],
) -> None:
    found = boxes(engine_of(manifest, folder), scene, term)
    assert found == {scene_boxes[instance]: term for instance in instances}


def test_several_terms_each_name_their_own(
    manifest: DetectorManifest, folder: Path, scene: EngineFrame
) -> None:
    labels = sorted(boxes(engine_of(manifest, folder), scene, "mug", "baguette", "unicorn").values())
    assert labels == ["baguette", "mug", "mug"]


def test_on_demand_without_a_question_is_an_error(
    manifest: DetectorManifest, folder: Path, scene: EngineFrame
) -> None:
    with pytest.raises(EmptyQuery):
        engine_of(manifest, folder).detect(scene, None)


def test_continuous_speaks_its_own_words_and_leaves_out_furniture(
    continuous: tuple[DetectorManifest, Path], scene: EngineFrame
) -> None:
    labels = sorted(boxes(engine_of(*continuous), scene).values())
    assert labels == ["bottle", "bread", "mug", "mug"]


@pytest.mark.parametrize(
    ("phrase", "label"),
    [
        ("wine glass", "wine glass"),
        ("water glass", "glass"),
        ("green wine bottle", "bottle"),
        ("milk carton", "carton"),
        ("person", "person"),
        ("fridge", None),
        ("mug tree", None),
    ],
)
def test_the_longest_ending_names_a_thing(
    continuous: tuple[DetectorManifest, Path], scene: EngineFrame, phrase: str, label: str | None
) -> None:
    found = boxes(engine_of(*continuous), replace(scene, instance_names={1: phrase}))
    assert list(found.values()) == ([label] if label else [])


def test_too_few_pixels_are_not_seen(manifest: DetectorManifest, folder: Path, scene: EngineFrame) -> None:
    engine = engine_of(manifest, folder, min_visible_pixels=1300)
    assert boxes(engine, scene, "mug").keys() == {(40, 60, 80, 100)}


def test_what_hides_another_leaves_it_its_visible_part(
    manifest: DetectorManifest, folder: Path, scene: EngineFrame
) -> None:
    semantic = np.array(scene.planes["semantic"])
    semantic[60:100, 60:80] = 4
    hidden = replace(scene, planes={**scene.planes, "semantic": semantic})
    assert boxes(engine_of(manifest, folder), hidden, "red mug").keys() == {(40, 60, 60, 100)}


def test_noise_repeats_with_seed_and_stamp_and_differs_otherwise(
    manifest: DetectorManifest, folder: Path, scene: EngineFrame
) -> None:
    noisy = engine_of(manifest, folder, box_noise_px=2.0)
    first = boxes(noisy, scene, "mug")
    assert boxes(engine_of(manifest, folder, box_noise_px=2.0), scene, "mug") == first
    assert boxes(noisy, replace(scene, stamp=scene.stamp + 1), "mug") != first
    assert boxes(engine_of(manifest, folder, seed=1, box_noise_px=2.0), scene, "mug") != first


def test_misses_come_at_the_rate_asked_for(
    manifest: DetectorManifest, folder: Path, scene: EngineFrame
) -> None:
    engine = engine_of(manifest, folder, miss_rate=0.25)
    seen = sum(len(boxes(engine, replace(scene, stamp=stamp), "red mug")) for stamp in range(400))
    assert 270 <= seen <= 330


def test_a_larger_view_scores_higher(manifest: DetectorManifest, folder: Path, scene: EngineFrame) -> None:
    red, blue = engine_of(manifest, folder).detect(scene, ("mug",))
    assert red.score > blue.score > 0.9


def test_a_frame_without_instance_ids_is_an_error(
    manifest: DetectorManifest, folder: Path, scene: EngineFrame
) -> None:
    with pytest.raises(MissingImagePlane, match="semantic"):
        engine_of(manifest, folder).detect(replace(scene, planes={"rgb": scene.planes["rgb"]}), ("mug",))


def test_a_label_without_words_is_nothing(
    manifest: DetectorManifest, folder: Path, scene: EngineFrame
) -> None:
    assert boxes(engine_of(manifest, folder), replace(scene, instance_names={1: "---", 2: ""}), "mug") == {}


def test_unknown_options_name_the_valid_ones(manifest: DetectorManifest, folder: Path) -> None:
    with pytest.raises(InvalidDocument, match="box_noise_px"):
        engine_of(manifest, folder, blur=1.0)
