"""Nodes, topics, services, actions and parameters of the launched graph are as recorded."""

import json
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from goldens.graphs import launched
from goldens.interfaces import difference, kept

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]


@pytest.mark.parametrize("form", [(), ("--composed",)], ids=["apart", "composed"])
def test_the_launched_graph_has_the_recorded_interfaces(
    ros_domain: int, tmp_path: Path, form: tuple[str, ...]
) -> None:
    found = json.loads(json.dumps(launched(tmp_path, ros_domain, *form)))
    different = difference(kept()["graph"], found)
    assert not different, different
