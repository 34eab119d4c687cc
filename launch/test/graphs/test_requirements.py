"""What a machine lacks is told before anything starts, with the command that brings it."""

from pathlib import Path

import pytest

from openral_bringup.graph.description import build_graph
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.preflight import missing_requirements
from openral_core.rskills import Registry
from openral_perception_ros.engines.weights_record import WeightsRecord, digests_of

ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
GROUNDING = "locateanything-3b-nf4"


@pytest.fixture(autouse=True)
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


def told(folder: Path, continuous: str, on_demand: str, **more: object) -> tuple[str, ...]:
    scene = ROOT / "scenes" / "deploy" / "home.yaml"
    environments = {"environments": str(folder / "environments")}
    slugs = [name.replace("-", "_") for name in (continuous, on_demand)]
    content = {
        "scene": scene,
        "continuous": (continuous,),
        "on_demand": (on_demand,),
        "weights_dir": str(folder / "weights"),
        "overrides": dict.fromkeys(slugs, environments),
        **more,
    }
    return missing_requirements(build_graph(DeploymentOptions.model_validate(content), RSKILLS, {}), RSKILLS)


def recorded(folder: Path, name: str) -> None:
    """Weights as `openral weights fetch` leaves them, but for the files that a manifest pins."""
    folder.mkdir(parents=True)
    (folder / name).write_text("{}")
    weights = Registry.load(RSKILLS).detector(folder.name).weights
    revision, files = weights.revision, digests_of(folder)
    WeightsRecord(rskill=folder.name, uri=weights.uri, revision=revision, licence="", files=files).write(
        folder
    )


def test_embedded_detectors_lack_nothing(tmp_path: Path) -> None:
    assert told(tmp_path, "sim-groundtruth", "sim-groundtruth-locator") == ()


def test_an_environment_and_weights_are_named_with_their_commands(tmp_path: Path) -> None:
    environment, weights = told(tmp_path, "sim-groundtruth", "omdet-turbo-locator")
    assert "run `openral weights prepare omdet-turbo-locator`" in environment
    command = f"openral weights fetch omdet-turbo-locator --weights-dir {tmp_path / 'weights'}"
    assert weights == f"the weights of 'omdet-turbo-locator' are missing: run `{command}`"


def test_a_checkpoint_that_was_not_exported_says_so(tmp_path: Path) -> None:
    recorded(tmp_path / "weights" / "rtdetr-coco-r18", "config.json")
    (export,) = told(tmp_path, "rtdetr-coco-r18", "sim-groundtruth-locator")
    assert "to be exported: run `openral weights export rtdetr-coco-r18" in export


def test_what_is_here_is_not_asked_for(tmp_path: Path) -> None:
    interpreter = tmp_path / "environments" / "omdet" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.touch()
    recorded(tmp_path / "weights" / "omdet-turbo-locator", "README.md")
    assert told(tmp_path, "sim-groundtruth", "omdet-turbo-locator") == ()


def test_foreign_code_is_run_only_on_a_word(tmp_path: Path) -> None:
    accepted = {"accepted_licences": ("nvidia-non-commercial",)}
    *_, weights, word = told(tmp_path, "sim-groundtruth", GROUNDING, **accepted)
    assert "--accept-licence nvidia-non-commercial" in weights
    assert word.endswith("say --set locateanything_3b_nf4.remote_code=true")


def test_detectors_of_another_host_are_its_own_business(tmp_path: Path) -> None:
    assert told(tmp_path, "sim-groundtruth", "omdet-turbo-locator", run=("sim", "reasoner")) == ()
