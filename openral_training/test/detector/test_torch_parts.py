"""Network, assignment, losses, batches, checkpoints and metrics, in the environment that has PyTorch."""

import json
from pathlib import Path
from typing import Any

import pytest
from torch_environments import TRAINING, in_environment, needs

pytestmark = [needs(TRAINING), pytest.mark.slow, pytest.mark.xdist_group("torch"), pytest.mark.timeout(120)]
CHECKS = Path(__file__).with_name("torch_checks.py")


@pytest.fixture(scope="module")
def checks() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(in_environment(str(CHECKS), name=TRAINING))
    return found


def test_a_step_reaches_every_layer_and_turns_kernels_evenly(checks: dict[str, dict[str, Any]]) -> None:
    found = checks["optimiser"]
    # Nothing flows into the kernel of a block before the norm behind it, which begins with 0.
    assert [name for name in found["unchanged"] if not name.startswith("stages.")] == []
    assert 0.5 < found["singular"][0] <= found["singular"][1] < 1.3
    assert found["outer"] == pytest.approx(0.5, rel=0.05)
    assert found["head"] == pytest.approx(0.5, rel=0.05)


def test_muon_steps_as_pytorchs_does_in_both_precisions(checks: dict[str, dict[str, Any]]) -> None:
    found = checks["muon"]
    assert all(difference < 0.03 for difference in found["difference"].values()), found
    assert all(found["difference"][name] > 0.0 for name in found["difference"] if "float32" in name), found
    assert all(found["states"])


def test_every_stride_predicts_at_its_points(checks: dict[str, dict[str, Any]]) -> None:
    found = checks["shapes"]
    assert found["points"] == 8 * 12 + 4 * 6 + 2 * 3
    assert found["logits"] == [2, found["points"], 2]
    assert found["boxes"] == [2, found["points"], 4]
    assert found["difference_to_stride"] < 1e-4
    assert found["prior"] == pytest.approx(0.01, abs=0.005)


def test_each_object_gets_predictions_of_its_own(checks: dict[str, dict[str, Any]]) -> None:
    found = checks["assignment"]
    assert found["tiny"] > 0
    assert found["several_classes"] == 0
    assert 0 < found["largest"] <= 1.0
    assert found["without_objects"] == 0


def test_a_region_to_ignore_is_no_background(checks: dict[str, dict[str, Any]]) -> None:
    assert checks["assignment"]["in_region"] > 0
    assert checks["assignment"]["counted_in_region"] == 0
    assert checks["losses"]["ignored"] < 0.01 * checks["losses"]["nothing_there"]


def test_the_loss_is_least_where_class_and_box_are_right(checks: dict[str, dict[str, Any]]) -> None:
    found = checks["losses"]
    assert found["right"] < 0.05
    assert found["wrong_class"] > 1.0
    assert found["giou"] == [0.0, pytest.approx(-1 / 3, abs=1e-4)]


def test_a_checkpoint_is_read_as_written(checks: dict[str, dict[str, Any]]) -> None:
    assert checks["checkpoints"]["same"]
    assert checks["checkpoints"]["kept_class"]


def test_blended_weights_lie_between_and_new_classes_stay(checks: dict[str, dict[str, Any]]) -> None:
    assert checks["checkpoints"]["blended"]
    assert checks["checkpoints"]["blended_class"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("text", ("NotACheckpoint", "text.pt")),
        ("foreign", ("NotACheckpoint", "its format is not")),
        ("empty_folder", ("NotACheckpoint", "none")),
        ("architecture", ("OtherArchitecture", "'micro'", "'tiny'")),
        ("classes", ("ClassesDiffer", "missing 'bowl'", "'cat'", "--new-classes")),
        (
            "layers",
            (
                "OtherLayers",
                "stem.0.weight has shape (4, 3, 3, 3), expected (8, 3, 3, 3)",
                "class_head.bias has shape none, expected (2,)",
                "neck.weight has shape (1,), expected none",
            ),
        ),
        ("unknown", ("UnknownArchitecture", "'huge'", "'tiny'")),
        ("full_disk", ("CheckpointNotSaved", "the checkpoint before it is unchanged", "--resume")),
    ],
)
def test_an_unusable_checkpoint_is_refused_in_words(
    checks: dict[str, dict[str, Any]], name: str, words: tuple[str, ...]
) -> None:
    assert [word for word in words if word not in checks["checkpoints"][name]] == []


def test_a_full_disk_leaves_the_checkpoint_before_and_nothing_else(
    checks: dict[str, dict[str, Any]],
) -> None:
    assert checks["checkpoints"]["unchanged"]
    assert checks["checkpoints"]["left"] == ["best.pt", "foreign.pt", "layers.pt", "text.pt"]


def test_batches_depend_on_seed_and_number_alone(checks: dict[str, dict[str, Any]]) -> None:
    found = checks["batches"]
    assert found["same"] == [True] * 10
    assert not found["another_seed"]
    assert found["epoch"] == list(range(9))
    window, full = [4, 3, 64, 64], [2, 3, 64, 96]
    assert found["sizes"] == [window, window, full, window, full, full, full]


def test_metrics_count_what_is_found_and_pass_over_what_is_ignored(
    checks: dict[str, dict[str, Any]],
) -> None:
    found = checks["evaluation"]
    assert found["ap50"] == pytest.approx(0.5)
    assert found["classes"] == [["mug", pytest.approx(1.0), 1.0], ["bowl", 0.0, 0.0]]
    assert (found["recall"], found["precision"]) == (0.5, 1.0)
    assert found["sizes"] == [[1, 1.0], [1, 0.0]]
