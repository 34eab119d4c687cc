"""`openral mcp` as a command."""

import subprocess
import sys

from typer.testing import CliRunner

from openral_mcp.cli import commands


def test_the_help_names_the_permission_and_the_token() -> None:
    told = CliRunner().invoke(commands, ["--help"], env={"COLUMNS": "200", "NO_COLOR": "1"}).output
    assert "--allow-missions" in told
    assert "OPENRAL_MCP_TOKEN" in told


def test_other_commands_do_not_wait_for_the_sdk() -> None:
    code = "import sys, openral_mcp.cli; sys.exit('mcp' in sys.modules or 'rclpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code], timeout=60, check=False).returncode == 0
