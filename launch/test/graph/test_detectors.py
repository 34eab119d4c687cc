"""Detectors of a graph: the default locator, licences, the memory budget and the decision model."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from openral_bringup.graph.description import build_graph, own_variables
from openral_bringup.graph.detectors import fetch_missing, initially_inactive, missing_requirements
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.problems import InvalidDeployment
from openral_core.rskills import HUB, DetectorManifest, Mode, Registry, Weights
from openral_perception_ros.engines.weights_record import ChecksumDiffers, WeightsRecord, digests_of
from openral_perception_ros.weights.download import DownloadFailed, Fetched
from openral_perception_ros.weights.fetch import LicenceNotAccepted, weights_status

ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"


def graph_of(**choices: Any) -> Any:
    return build_graph(DeploymentOptions(scene=SCENE, **choices), RSKILLS)


SHIPPED = tuple(Registry.load(RSKILLS).detectors)


def test_only_the_first_locator_is_the_default_one() -> None:
    graph = graph_of(continuous=("sim-groundtruth",), on_demand=("sim-locator",))
    defaults = {
        node.key: node.parameters.get("default") for node in graph.nodes if "perception" in node.namespace
    }
    assert defaults == {"sim_groundtruth": False, "sim_groundtruth_locator": True}


@pytest.mark.parametrize(
    ("brain", "variable"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")]
)
def test_a_brain_without_model_or_key_is_refused_before_anything_starts(brain: str, variable: str) -> None:
    bare, named = (DeploymentOptions(scene=SCENE, brain=brain, model=model) for model in ("", "some-model"))
    with pytest.raises(InvalidDeployment, match=f"--model.*\n.*{variable}"):
        build_graph(bare, RSKILLS, environment={})
    with pytest.raises(InvalidDeployment, match=variable):
        build_graph(named, RSKILLS, environment={})
    assert build_graph(named, RSKILLS, environment={variable: "secret"}).nodes
    local = DeploymentOptions(
        scene=SCENE, brain=brain, model="some-model", base_url="http://127.0.0.1:11434/v1"
    )
    assert build_graph(local, RSKILLS, environment={}).nodes


def test_a_licence_must_be_accepted_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "rskills" / "grounder"
    folder.mkdir(parents=True)
    manifest = yaml.safe_load((RSKILLS[0] / "sim-groundtruth-locator" / "rskill.yaml").read_text())
    licence = {"name": "Some non-commercial", "commercial_use": False, "accept": "some-nc"}
    manifest |= {"id": "grounder", "aliases": [], "licence": licence}
    (folder / "rskill.yaml").write_text(yaml.safe_dump(manifest))
    folders = [*RSKILLS, folder.parent]
    chosen = DeploymentOptions(scene=SCENE, on_demand=("grounder",))
    with pytest.raises(InvalidDeployment, match="to use it, add --accept-licence some-nc"):
        build_graph(chosen, folders)
    accepted = chosen.model_copy(update={"accepted_licences": ("some-nc",)})
    assert "/openral/perception/grounder/detector" in {
        node.qualified for node in build_graph(accepted, folders).nodes
    }


def test_a_detector_beyond_the_budget_starts_inactive() -> None:
    graph = graph_of(gpu_budget_mb=250.0)
    assert [n.key for n in graph.nodes if not n.awake] == ["home_tiny_locator"]
    assert "1:/openral/perception/home_tiny_locator/detector=inactive" in graph.nodes[-1].parameters["nodes"]
    assert {n.key: n for n in graph.nodes}["reasoner"].parameters["gpu_budget_mb"] == 250.0
    assert all(node.awake for node in graph_of(gpu_budget_mb=1000.0).nodes)


def test_a_budget_too_small_for_any_locator_is_refused() -> None:
    with pytest.raises(InvalidDeployment, match=r"too small for any locator: .*home-tiny-locator"):
        graph_of(gpu_budget_mb=10.0)


def test_the_local_brain_takes_its_part_of_the_budget_or_is_refused() -> None:
    inactive = [n.key for n in graph_of(gpu_budget_mb=650.0, brain="local").nodes if not n.awake]
    assert inactive == ["home_tiny_locator"]
    with pytest.raises(InvalidDeployment, match="too small for brain local, which needs 400 MB"):
        graph_of(gpu_budget_mb=300.0, brain="local")


def test_locate_anything_needs_its_licence_accepted() -> None:
    with pytest.raises(InvalidDeployment, match="to use it, add --accept-licence nvidia-non-commercial"):
        graph_of(locate_anything=True)
    graph = graph_of(locate_anything=True, accepted_licences=("nvidia-non-commercial",))
    keys = [node.key for node in graph.nodes]
    assert {"home_tiny_locator", "locateanything_3b_nf4"} <= set(keys)


def test_the_first_locator_is_the_reasoners_default() -> None:
    def default_of(**choices: Any) -> object:
        return next(
            n.parameters["default_detector"] for n in graph_of(**choices).nodes if n.name == "reasoner"
        )

    assert default_of() == "home-tiny-locator"
    assert (
        default_of(on_demand=("sim-locator",), continuous=("sim-groundtruth",)) == "sim-groundtruth-locator"
    )
    assert default_of(continuous=("sim-groundtruth",)) == ""


@given(st.lists(st.sampled_from(SHIPPED), unique_by=lambda manifest: manifest.id), st.floats(1.0, 20_000.0))
def test_detectors_that_start_active_fit_the_budget(chosen: list[DetectorManifest], budget: float) -> None:
    options = DeploymentOptions(scene=SCENE, gpu_budget_mb=budget)
    inactive = initially_inactive(options, chosen, [])
    active = [manifest for manifest in chosen if manifest.id not in inactive]
    assert sum(manifest.memory_mb for manifest in active) <= budget
    left = budget - sum(manifest.memory_mb for manifest in active)
    assert all(manifest.memory_mb > left for manifest in chosen if manifest.id in inactive)


@given(st.lists(st.sampled_from(SHIPPED), unique_by=lambda manifest: manifest.id), st.floats(1.0, 20_000.0))
def test_a_locator_never_takes_the_memory_of_a_continuous_detector(
    chosen: list[DetectorManifest], budget: float
) -> None:
    options = DeploymentOptions(scene=SCENE, gpu_budget_mb=budget)
    continuous = [manifest for manifest in chosen if manifest.mode is Mode.CONTINUOUS]
    alone = initially_inactive(options, continuous, [])
    assert initially_inactive(options, chosen, []) & {manifest.id for manifest in continuous} == alone


def test_without_a_budget_every_detector_starts_active() -> None:
    assert initially_inactive(DeploymentOptions(scene=SCENE), SHIPPED, []) == frozenset()


@pytest.mark.parametrize(
    ("brain", "patterns"), [("scripted", ()), ("anthropic", ("ANTHROPIC_*",)), ("openai", ("OPENAI_*",))]
)
def test_only_the_variables_of_its_vendor_reach_the_reasoner(brain: str, patterns: tuple[str, ...]) -> None:
    assert own_variables(brain) == patterns


ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
GROUNDING = "locateanything-3b-nf4"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


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
    started = build_graph(DeploymentOptions.model_validate(content), RSKILLS, {}).started
    return tuple(map(str, missing_requirements(started, RSKILLS)))


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
    assert told(tmp_path, "home-tiny", "home-tiny-locator") == ()


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
    assert word.endswith("add --set locateanything_3b_nf4.remote_code=true")


def test_detectors_of_another_host_are_its_own_business(tmp_path: Path) -> None:
    assert told(tmp_path, "sim-groundtruth", "omdet-turbo-locator", run=("sim", "reasoner")) == ()


def options(folder: Path, **changes: object) -> DeploymentOptions:
    scene = ROOT / "scenes" / "deploy" / "home.yaml"
    return DeploymentOptions(scene=scene, weights_dir=str(folder), **changes)


class Hub:
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, weights: Weights, folder: Path) -> Fetched:
        self.asked.append(weights.uri)
        (folder / "config.json").unlink(missing_ok=True)
        (folder / "config.json").write_text("{}")
        return Fetched(weights.revision or COMMIT)


def own_rskill(folder: Path) -> Path:
    """A detector from the hub without pinned files."""
    manifest = yaml.safe_load((RSKILLS[0] / "rtdetr-v2-r50vd" / "rskill.yaml").read_text())
    manifest |= {"id": "own", "aliases": [], "weights": {"uri": "hf://someone/small"}}
    (folder / "own").mkdir(parents=True)
    (folder / "own" / "rskill.yaml").write_text(yaml.safe_dump(manifest))
    return folder


def test_what_is_missing_is_fetched_once_and_its_licence_told(tmp_path: Path) -> None:
    hub, reported, folders = Hub(), list[str](), [*RSKILLS, own_rskill(tmp_path / "rskills")]
    one = options(tmp_path, continuous=("own",), on_demand=("sim-groundtruth-locator",))
    fetch_missing(one, folders, hub, reported.append)
    fetch_missing(one, folders, hub, reported.append)
    assert hub.asked == ["hf://someone/small"]
    assert "Apache-2.0" in reported[0]


def test_the_small_detectors_of_photographs_are_fetched_unasked(tmp_path: Path) -> None:
    assert options(tmp_path, detectors="real").fetches
    assert not options(tmp_path).fetches
    assert not options(tmp_path, detectors="real", continuous=("rfdetr-small",)).fetches


def test_weights_that_are_not_the_pinned_ones_are_refused(tmp_path: Path) -> None:
    one = options(tmp_path, continuous=("omdet-turbo-indoor",), on_demand=("sim-groundtruth-locator",))
    with pytest.raises(ChecksumDiffers, match=r"config\.json has sha256 44136fa355b3…, expected c0d6546"):
        fetch_missing(one, RSKILLS, Hub(), print)


def test_every_detector_from_the_hub_pins_its_revision() -> None:
    registry = Registry.load(RSKILLS)
    named = {detector.id: detector.weights for detector in registry.detectors}
    weights = {name: item for name, item in named.items() if item is not None and item.uri.startswith(HUB)}
    assert len(weights) == 11
    unpinned = [name for name, item in weights.items() if not item.revision]
    assert unpinned == ["mm-grounding-dino-tiny", "rfdetr-small"]


def test_a_licence_that_was_not_accepted_fetches_nothing(tmp_path: Path) -> None:
    hub = Hub()
    one = options(tmp_path, on_demand=("locateanything-3b-nf4",))
    with pytest.raises(LicenceNotAccepted, match="nvidia-non-commercial"):
        fetch_missing(one, RSKILLS, hub, print)
    assert not hub.asked


@pytest.mark.parametrize("damage", ["config.json", "openral-weights.json"])
def test_what_lies_there_damaged_is_fetched_again_and_why_is_told(tmp_path: Path, damage: str) -> None:
    hub, reported, folders = Hub(), list[str](), [*RSKILLS, own_rskill(tmp_path / "rskills")]
    one = options(tmp_path, continuous=("own",), on_demand=("sim-groundtruth-locator",))
    fetch_missing(one, folders, hub, reported.append)
    file = tmp_path / "own" / damage
    file.write_text(file.read_text()[:1])
    fetch_missing(one, folders, hub, reported.append)
    assert hub.asked == ["hf://someone/small"] * 2
    assert damage in reported[1]


def test_a_fetch_that_broke_off_is_not_here_and_goes_on(tmp_path: Path) -> None:
    folders = [*RSKILLS, own_rskill(tmp_path / "rskills")]
    one = options(tmp_path, continuous=("own",), on_demand=("sim-groundtruth-locator",))

    def breaks(weights: Weights, folder: Path) -> Fetched:
        (folder / "config.json").write_text("{}")
        raise DownloadFailed(weights.uri, "the line broke")

    with pytest.raises(DownloadFailed):
        fetch_missing(one, folders, breaks, print)
    manifest = Registry.load(folders).detector("own")
    assert weights_status(manifest, tmp_path / "rskills" / "own", str(tmp_path)).state == "missing"
    hub = Hub()
    fetch_missing(one, folders, hub, print)
    assert hub.asked == ["hf://someone/small"]
    assert weights_status(manifest, tmp_path / "rskills" / "own", str(tmp_path)).state == "here"


def test_half_of_a_checkpoint_without_a_record_is_fetched_again(tmp_path: Path) -> None:
    folders = [*RSKILLS, own_rskill(tmp_path / "rskills")]
    one = options(tmp_path, continuous=("own",), on_demand=("sim-groundtruth-locator",))
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.json").write_text("{}")
    hub = Hub()
    fetch_missing(one, folders, hub, print)
    assert hub.asked == ["hf://someone/small"]
