"""Detectors of a graph: the default locator, licences, the memory budget and the decision model."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from openral_bringup.graph.description import build_graph
from openral_bringup.graph.detectors import initially_inactive, own_variables
from openral_bringup.graph.errors import InvalidDeployment
from openral_bringup.graph.options import DeploymentOptions
from openral_core.rskills import DetectorManifest, Mode, Registry

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
    graph = graph_of(gpu_budget_mb=150.0)
    assert [n.key for n in graph.nodes if not n.awake] == ["sim_groundtruth_locator"]
    assert (
        "1:/openral/perception/sim_groundtruth_locator/detector=inactive"
        in graph.nodes[-1].parameters["nodes"]
    )
    assert {n.key: n for n in graph.nodes}["reasoner"].parameters["gpu_budget_mb"] == 150.0
    assert all(node.awake for node in graph_of(gpu_budget_mb=1000.0).nodes)


def test_a_budget_too_small_for_any_locator_is_refused() -> None:
    with pytest.raises(InvalidDeployment, match=r"too small for any locator: .*sim-groundtruth-locator"):
        graph_of(gpu_budget_mb=10.0)


def test_locate_anything_needs_its_licence_accepted() -> None:
    with pytest.raises(InvalidDeployment, match="to use it, add --accept-licence nvidia-non-commercial"):
        graph_of(locate_anything=True)
    graph = graph_of(locate_anything=True, accepted_licences=("nvidia-non-commercial",))
    keys = [node.key for node in graph.nodes]
    assert {"sim_groundtruth_locator", "locateanything_3b_nf4"} <= set(keys)


def test_the_first_locator_is_the_reasoners_default() -> None:
    def default_of(**choices: Any) -> object:
        return next(
            n.parameters["default_detector"] for n in graph_of(**choices).nodes if n.name == "reasoner"
        )

    assert default_of() == "sim-groundtruth-locator"
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
