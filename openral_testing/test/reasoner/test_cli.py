"""Tests of `openral bench search`."""

from typer.testing import CliRunner

from openral_testing.reasoner.cli import commands


def test_the_search_bench_prints_its_table() -> None:
    table = CliRunner().invoke(commands, ["bench", "search", "--homes", "3", "--searcher", "scripted"])
    assert table.exit_code == 0, table.output
    assert "| scripted | 3 |" in table.output
