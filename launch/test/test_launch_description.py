"""Launch of a graph: its arguments, the domain it claims and the lines for the operator."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from openral_bringup import launch_description as launching
from openral_bringup.deploy.main import app
from openral_bringup.graph.errors import InvalidDeployment
from openral_bringup.graph.launch_arguments import ARGUMENTS


def test_the_command_line_and_the_launch_file_take_the_users_own_rskills(
    own_rskills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "occupy", lambda *_: 0)
    chosen = ["--rskills", str(own_rskills), "--continuous", "my-finder", "--on-demand", "sim-locator"]
    done = CliRunner().invoke(app, ["--dry-run", *chosen], env={"COLUMNS": "400"})
    assert done.exit_code == 0, done.output
    assert "my_finder" in done.output
    words = {a.name: a.default for a in ARGUMENTS}
    words |= {"rskills": str(own_rskills), "continuous": "my-finder", "domain_id": "auto"}
    assert "my_finder" in {node.key for node in launching.prepare(words, ()).graph.nodes}
    with pytest.raises(InvalidDeployment, match=r"rskills:=/none: no <id>/rskill.yaml"):
        launching.prepare(words | {"rskills": "/none"}, ())


@pytest.fixture
def claimed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int | None, list[str]]]:
    """Record the domain and the node names of every claim; each is granted domain 7."""
    claims: list[tuple[int | None, list[str]]] = []

    def occupy(asked: int | None, names: list[str]) -> int:
        claims.append((asked, names))
        return 7

    monkeypatch.setattr(launching, "occupy", occupy)
    return claims


def arguments(**changed: str) -> dict[str, str]:
    return {argument.name: argument.default for argument in ARGUMENTS} | changed


Claims = list[tuple[int | None, list[str]]]


def test_the_names_of_all_started_nodes_are_claimed_in_the_given_domain(claimed: Claims) -> None:
    prepared = launching.prepare(arguments(domain_id="7", namespace="/robot1"), ())
    assert claimed == [(7, [node.qualified for node in prepared.graph.started])]
    assert prepared.variables == {"ROS_DOMAIN_ID": "7"}
    assert "every node: environment ROS_DOMAIN_ID=7" in prepared.lines


def test_without_a_domain_argument_the_nodes_keep_the_environments_domain(claimed: Claims) -> None:
    prepared = launching.prepare(arguments(domain_id=""), ())
    assert len(claimed) == 1
    assert prepared.variables == {}
    assert not any("ROS_DOMAIN_ID" in line for line in prepared.lines)


def test_an_invalid_graph_claims_no_domain_and_names_every_problem(claimed: Claims) -> None:
    with pytest.raises(InvalidDeployment) as refused:
        launching.prepare(arguments(domain_id="7", run="arm", seed="many"), ())
    assert claimed == []
    message = "\n".join(refused.value.problems)
    assert "run:=arm" in message
    assert "seed:=many" in message


def test_a_misspelt_argument_is_reported_to_the_operator(claimed: Claims) -> None:
    prepared = launching.prepare(arguments(), ("scene", "brian"))
    assert any("brian" in line for line in prepared.lines)
