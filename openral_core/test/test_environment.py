"""A child gets the variables that are on a list; a key is on none."""

import pytest

from openral_core.environment import node_environment, worker_environment

ACCOUNTS = "ANTHROPIC_API_KEY OPENAI_API_KEY HF_TOKEN HUGGING_FACE_HUB_TOKEN GITHUB_TOKEN MY_PASSWORD"
CLOUDS = "AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN SSH_AUTH_SOCK DATABASE_URL"
SECRETS = dict.fromkeys((*ACCOUNTS.split(), *CLOUDS.split()), "secret")
MACHINE = {"PATH": "/bin", "HOME": "/u", "LC_ALL": "C", "LD_LIBRARY_PATH": "/l", "CUDA_VISIBLE_DEVICES": "0"}
GRAPH = {"ROS_DOMAIN_ID": "7", "AMENT_PREFIX_PATH": "/p", "PYTHONPATH": "/q", "RMW_IMPLEMENTATION": "rmw"}


def test_a_node_gets_what_ros_and_the_machine_need() -> None:
    assert node_environment({**SECRETS, **MACHINE, **GRAPH}) == {**MACHINE, **GRAPH}


def test_a_worker_that_runs_strangers_code_gets_nothing_of_ros_or_python() -> None:
    assert worker_environment({**SECRETS, **MACHINE, **GRAPH}) == MACHINE


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_given_only_to_whom_it_belongs(secret: str) -> None:
    assert node_environment(SECRETS, (secret,)) == {secret: "secret"}


def test_the_user_may_pass_on_more() -> None:
    given = {"OPENRAL_PASS": " ROBOT_NAME,CAMERA_*,", "ROBOT_NAME": "r", "CAMERA_A": "a", "OTHER": "o"}
    assert set(node_environment(given)) == {"OPENRAL_PASS", "ROBOT_NAME", "CAMERA_A"}
