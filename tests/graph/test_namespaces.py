"""Two robots side by side in one domain do not mix."""

import json
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment, alive

pytestmark = [pytest.mark.slow, pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(600)]


def test_two_robots_pursue_their_own_goals_on_one_machine(ros_domain: int, tmp_path: Path) -> None:
    goals = {"/robot1": "find the mug", "/robot2": "find the bread"}
    folders = {namespace: tmp_path / namespace.strip("/") for namespace in goals}
    one, two = (
        Deployment(folders[goal], "--namespace", goal, "--goal", goals[goal], "--seed", goal[-1])
        for goal in goals
    )
    with one, two:
        assert (one.wait(400.0), two.wait(400.0)) == (0, 0), one.output + two.output
        assert alive([*one.family(), *two.family()]) == []
    for namespace, folder in folders.items():
        (outcome,) = [json.loads(line) for line in (folder / "outcomes.jsonl").read_text().splitlines()]
        assert outcome["mission"]["goal"] == goals[namespace]
