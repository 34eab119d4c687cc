"""Every detector that is shipped can be configured from its manifest alone."""

from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest

from openral_core.documents import InvalidDocument, parse_document
from openral_core.rskills import EngineName, Mode, Registry, Vocabulary
from openral_perception_ros.detector import load_detector
from openral_perception_ros.engines.base import ALIASES
from openral_perception_ros.engines.provenance import brings_code
from openral_perception_ros.engines.vocabulary import VocabularyDocument

RSKILLS = Path(__file__).parents[2] / "rskills"
REGISTRY = Registry.load([RSKILLS])
IDS = [manifest.id for manifest in REGISTRY.detectors]


def test_the_detectors_of_the_design_are_here() -> None:
    assert {
        "rtdetr-coco-r18",
        "rtdetr-v2-r50vd",
        "omdet-turbo-indoor",
        "omdet-turbo-locator",
        "locateanything-3b-nf4",
        "sim-groundtruth",
        "sim-groundtruth-locator",
    } <= set(IDS)


@pytest.mark.parametrize("name", IDS)
def test_manifest_vocabulary_and_requirements_fit_together(name: str) -> None:
    detector = load_detector(name, [RSKILLS], ("head",), False)
    manifest = detector.manifest
    assert (manifest.vocabulary.kind is Vocabulary.CLOSED) == bool(detector.labels)
    assert detector.labels or manifest.mode is Mode.ON_DEMAND
    if manifest.environment.requirements:
        assert (detector.folder / manifest.environment.requirements).is_file()
    assert manifest.licence.commercial_use or manifest.licence.accept


def test_every_engine_has_a_module_of_its_name() -> None:
    modules = (ALIASES.get(name, name) for name in get_args(EngineName))
    assert all(find_spec(f"openral_perception_ros.engines.{name}") for name in modules)


@pytest.mark.parametrize(
    ("name", "classes"), [("rtdetr-coco-r18", 80), ("rtdetr-v2-r50vd", 80), ("omdet-turbo-indoor", 266)]
)
def test_vocabularies_are_as_long_as_their_models(name: str, classes: int) -> None:
    assert len(load_detector(name, [RSKILLS], ("head",), False).labels) == classes


def test_one_shipped_detector_runs_the_code_of_its_checkpoint() -> None:
    assert [each.id for each in REGISTRY.detectors if brings_code(each)] == ["locateanything-3b-nf4"]
    (manifest,) = (each for each in REGISTRY.detectors if brings_code(each))
    misspelt = manifest.model_copy(update={"options": {"model_code": "Transformers"}})
    assert brings_code(misspelt), "what is not understood is not trusted"


def test_rskills_of_one_environment_ask_for_the_same_packages() -> None:
    asked: dict[str, set[str]] = {}
    for manifest in REGISTRY.detectors:
        if manifest.environment.requirements:
            file = REGISTRY.folder(manifest.id) / manifest.environment.requirements
            asked.setdefault(manifest.environment.name, set()).add(file.read_text())
    assert all(len(texts) == 1 for texts in asked.values())


def test_a_label_in_two_groups_is_refused() -> None:
    content = {"groups": {"a": ["mug", "cup"], "b": ["mug"]}}
    with pytest.raises(InvalidDocument, match="mug"):
        parse_document(VocabularyDocument, content, "vocabulary.yaml")
