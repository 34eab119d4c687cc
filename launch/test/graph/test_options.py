"""Options of a deployment: cameras, namespaces and sets of detectors."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_bringup.graph.description import build_graph
from openral_bringup.graph.options import (
    DEFAULT,
    LOCATE_ANYTHING,
    STREAMS,
    CameraChoice,
    DeploymentOptions,
    DetectorSet,
    InvalidCameraChoice,
    merged,
    remaps_of,
)
from openral_bringup.graph.problems import InvalidDeployment

ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"


def graph_of(**choices: Any) -> Any:
    return build_graph(DeploymentOptions(scene=SCENE, **choices), RSKILLS)


def test_a_camera_with_other_topics_is_remapped_and_a_new_one_is_added() -> None:
    graph = graph_of(cameras=merged(["head=/front/cam/image_raw", "door=/door"]))
    by_key = {node.key: node for node in graph.nodes}
    cameras = by_key["home_tiny"].parameters["cameras"]
    assert cameras == ["head:=/front/cam", "wrist:=/wrist", "door:=/door"]
    assert by_key["world_state"].parameters["cameras"] == ["head", "wrist", "door"]
    assert by_key["world_state"].remaps["/head/depth"] == "/front/cam/depth"
    assert "/wrist/depth" not in by_key["world_state"].remaps


@pytest.mark.parametrize("word", ["", "head=", "head=front", "1=/a", "head=/a/"])
def test_text_that_describes_no_camera_is_refused(word: str) -> None:
    with pytest.raises(InvalidDeployment, match="expected an id, or id=/topics"):
        graph_of(cameras=(word,))


@pytest.mark.parametrize(
    ("camera", "refused"), [("head", True), ("head=/head", True), ("head=/front/cam", False)]
)
def test_compressed_images_of_the_simulation_are_refused(camera: str, refused: bool) -> None:
    choices = {"overrides": {"home_tiny": {"compressed": True}}, "cameras": (camera,)}
    if not refused:
        assert graph_of(**choices)
        return
    with pytest.raises(InvalidDeployment, match="the simulation publishes no head/image_raw/compressed"):
        graph_of(**choices)


def test_invalid_cameras_and_an_invalid_namespace_are_reported_together() -> None:
    with pytest.raises(InvalidDeployment) as refused:
        graph_of(namespace="robot1", cameras=("1head", "wrist=relative"))
    assert len(refused.value.problems) == 3


ids = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_]*", fullmatch=True)
bases = st.from_regex(r"/[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*", fullmatch=True)


@given(ids, bases)
def test_a_camera_is_described_by_its_base_or_by_its_image_topic(camera: str, base: str) -> None:
    assert CameraChoice.parse(f"{camera}={base}/image_raw", "") == CameraChoice.parse(f"{camera}={base}", "")
    assert CameraChoice.parse(f"{camera}={base}", "/robot1").base == base.removesuffix("/image_raw")


@given(ids, st.sampled_from(["", "/robot1", "/fleet/robot1"]))
def test_a_camera_without_topics_lies_in_the_namespace_without_remap(camera: str, namespace: str) -> None:
    choice = CameraChoice.parse(camera, namespace)
    assert choice == CameraChoice(camera, f"{namespace}/{camera}")
    assert remaps_of([choice], namespace) == {}


def test_every_stream_of_a_camera_with_other_topics_is_remapped() -> None:
    cameras = CameraChoice("head", "/front"), CameraChoice("wrist", "/robot1/wrist")
    remaps = remaps_of(cameras, "/robot1")
    assert remaps == {f"/robot1/head/{stream}": f"/front/{stream}" for stream in STREAMS}


def test_an_invalid_camera_is_quoted_with_an_example() -> None:
    with pytest.raises(InvalidCameraChoice, match=r"--camera 1head: .*as in head=/front/camera"):
        CameraChoice.parse("1head", "")


def test_cameras_of_the_user_replace_the_default_of_the_same_id_and_keep_the_order() -> None:
    assert merged([]) == DEFAULT
    assert merged(["wrist=/arm", "door"]) == ("head", "wrist=/arm", "door")


def test_of_two_cameras_with_one_id_the_last_counts_in_the_place_of_the_first() -> None:
    options = DeploymentOptions(scene=SCENE, cameras=("head", "wrist", "head=/front"))
    assert options.chosen_cameras == (CameraChoice("head", "/front"), CameraChoice("wrist", "/wrist"))


def test_detectors_chosen_by_name_replace_the_whole_set() -> None:
    chosen = DeploymentOptions(scene=SCENE, detectors=DetectorSet.DEFAULT, on_demand=("mine",))
    assert (chosen.chosen_continuous, chosen.chosen_on_demand) == ((), ("mine",))


def test_the_locator_for_complex_queries_is_added_once() -> None:
    chosen = DeploymentOptions(scene=SCENE, on_demand=("mine",), locate_anything=True)
    assert chosen.chosen_on_demand == ("mine", LOCATE_ANYTHING)
    named = chosen.model_copy(update={"on_demand": (LOCATE_ANYTHING,)})
    assert named.chosen_on_demand == (LOCATE_ANYTHING,)


@pytest.mark.parametrize("namespace", ["robot1", "/robot1/", "/1robot", "//robot1", "/robot-1"])
def test_an_invalid_namespace_is_replaced_so_that_the_rest_can_be_checked(namespace: str) -> None:
    options = DeploymentOptions(scene=SCENE, namespace=namespace, seed=3)
    assert len(options.name_problems) == 1
    assert options.with_valid_names == DeploymentOptions(scene=SCENE, seed=3)


def test_options_with_valid_names_are_left_alone() -> None:
    options = DeploymentOptions(scene=SCENE, namespace="/fleet/robot1", cameras=("head=/front",))
    assert options.name_problems == ()
    assert options.with_valid_names is options


def test_a_graph_without_a_camera_is_refused_and_the_rest_checked() -> None:
    options = DeploymentOptions(scene=SCENE, cameras=())
    (problem,) = options.name_problems
    assert "expected an id" in str(problem)
    assert options.with_valid_names == DeploymentOptions(scene=SCENE)
