"""One command line from many packages."""

from typer.testing import CliRunner

from openral_bringup.cli.main import command_line


def test_one_group_holds_the_commands_of_several_packages() -> None:
    reported = CliRunner().invoke(command_line(), ["bench", "--help"]).output
    assert "household" in reported
    assert "search" in reported
