"""Contracts of policies: what is refused, and the valid values that the error names."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from openral_core.policies import PolicyBackend, fill_template, mismatches, parameters_in
from openral_core.robot import load_robot
from openral_core.rskills import InvalidManifest, PolicyManifest, Registry, UnknownId, Verb, load_manifest

ROBOTS = Path(__file__).parents[2] / "robots"
LAYOUT = [{"joints": ["shoulder", "elbow"], "kind": "delta"}, {"ignore": 2}, {"joints": ["finger"]}]
CONTRACT: dict[str, Any] = {
    "kind": "policy",
    "id": "open-it",
    "description": "Opens it.",
    "verb": "OPEN",
    "protocol": "openpi",
    "observation": {
        "image": {"source": "camera", "camera": "head", "size": [224, 224]},
        "state": {"source": "joints", "joints": ["shoulder", "elbow"]},
        "prompt": {"source": "text", "text": "open the {container_id}"},
    },
    "action": {"layout": LAYOUT, "execute": 8},
    "rate": 15.0,
    "max_duration": 30.0,
    "verify": {"by": "memory", "node": "{container_id}", "expect": "open"},
}
LIMITS = {"range": [-1.0, 1.0], "speed": 0.5}
BACKEND: dict[str, Any] = {
    "backend": "policy",
    "rskill": "open-it",
    "server": "ws://localhost:8000",
    "controllers": [
        {
            "topic": "/arm/joint_trajectory",
            "type": "trajectory",
            "joints": {"shoulder": LIMITS, "elbow": LIMITS, "finger": LIMITS},
        }
    ],
}


def write(folder: Path, content: dict[str, Any]) -> Path:
    file = folder / "open-it" / "rskill.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(yaml.safe_dump(content))
    return file


def contract(**changes: Any) -> PolicyManifest:
    return PolicyManifest.model_validate({**CONTRACT, **changes})


def test_a_policy_is_found_by_its_id(tmp_path: Path) -> None:
    write(tmp_path, CONTRACT)
    registry = Registry.load([tmp_path])
    policy = registry.policy("open_it")
    assert (policy.verb, policy.action.width) == ("OPEN", 5)
    assert policy.action.joints == ("shoulder", "elbow", "finger")
    assert registry.skills == ()
    with pytest.raises(UnknownId, match="unknown policy 'pour-it': expected one of 'open-it'"):
        registry.policy("pour-it")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"verb": "UNLOCK"}, "Input should be 'NAVIGATE', 'LOOK_AT', 'OPEN'"),
        ({"protocol": "grpc"}, "protocol: Input should be 'openpi', found 'grpc'"),
        ({"rate": 0.0}, "rate: Input should be greater than or equal to 1, found 0.0"),
        ({"rate": float("nan")}, "rate: Input should be a finite number"),
        ({"verify": {"by": "policy"}}, "expected tags: 'locate', 'memory', 'joint', 'none'"),
        (
            {"verify": {"by": "memory", "node": "x", "expect": "ajar"}},
            "'open', 'closed', 'present' or 'gone'",
        ),
        ({"observation": {"state": {"source": "odom"}}}, "expected tags: 'camera', 'joints', 'text'"),
        ({"observation": {}}, "observation: Dictionary should have at least 1 item"),
        ({"speed": 1.0}, "unknown key 'speed': valid here are 'action', 'aliases'"),
        (
            {"action": {"layout": [{"joints": ["a"], "kind": "torque"}], "execute": 1}},
            "Input should be 'position', 'delta', 'offset' or 'velocity', found 'torque'",
        ),
        ({"action": {"layout": [{"joints": ["a", "a"]}], "execute": 1}}, r"joints \['a'\] are in the layout"),
        ({"action": {"layout": [{"ignore": 3}], "execute": 1}}, "the layout moves no joint"),
        (
            {"action": {"layout": [{"joints": ["a"], "ignore": 3}], "execute": 1}},
            "either 'joints' or 'ignore'",
        ),
        (
            {"action": {"layout": [{"joints": ["a"], "unit_range": [1, 1]}], "execute": 1}},
            "unit_range must be two different positions",
        ),
        (
            {"action": {"layout": [{"joints": ["a"], "kind": "delta", "unit_range": [0, 1]}], "execute": 1}},
            "unit_range needs the kind 'position', found 'delta'",
        ),
    ],
)
def test_an_invalid_contract_is_refused_with_the_valid_values(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidManifest, match=problem):
        load_manifest(write(tmp_path, {**CONTRACT, **changes}))


def test_a_policy_that_fits_has_no_mismatch() -> None:
    backend = PolicyBackend.model_validate(BACKEND)
    assert list(mismatches(contract(), backend, ["head"], ["target", "container_id"])) == []


def test_the_example_fits_its_robot() -> None:
    robot = load_robot(ROBOTS / "tabletop_arm.yaml")
    backend = robot.skills[Verb.OPEN]
    assert isinstance(backend, PolicyBackend)
    policy = Registry.load([ROBOTS / "policies"]).policy(backend.rskill)
    assert policy.verb is Verb.OPEN
    assert list(mismatches(policy, backend, robot.cameras, ["target", "container_id"])) == []


def test_everything_that_a_policy_lacks_is_listed_with_what_is_valid() -> None:
    action = {"layout": [{"joints": ["shoulder", "wrist"]}], "execute": 1}
    backend = PolicyBackend.model_validate(BACKEND)
    assert list(mismatches(contract(action=action), backend, ["wrist_camera"], ["target"])) == [
        "there is no camera 'head', valid are ['wrist_camera']",
        "there is no joint with a controller 'wrist', valid are ['elbow', 'finger', 'shoulder']",
        "there is no parameter 'container_id', valid are ['target']",
        "the policy's layout moves no joint ['elbow', 'finger'], which the controllers have",
    ]


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        ({"range": [1.0, -1.0], "speed": 1.0}, "must be .low, high. with low < high"),
        ({"range": [float("nan"), 1.0], "speed": 1.0}, "finite"),
        ({"range": [-1.0, 1.0], "speed": 0.0}, "greater than 0"),
        ({"range": [-1.0, 1.0], "speed": float("inf")}, "finite"),
    ],
)
def test_impossible_limits_are_refused(limits: dict[str, Any], problem: str) -> None:
    controllers = [{"topic": "arm", "type": "positions", "joints": {"a": limits}}]
    with pytest.raises(ValueError, match=problem):
        PolicyBackend.model_validate({**BACKEND, "controllers": controllers})


def test_a_joint_has_one_controller() -> None:
    with pytest.raises(ValueError, match=r"joints \['elbow', 'finger', 'shoulder'\] have two controllers"):
        PolicyBackend.model_validate({**BACKEND, "controllers": BACKEND["controllers"] * 2})


def test_values_of_a_template_are_no_templates() -> None:
    template = "open the {label} in {room}"
    assert parameters_in(template) == ["label", "room"]
    assert fill_template(template, {"label": "{room}", "room": "kitchen"}) == "open the {room} in kitchen"
