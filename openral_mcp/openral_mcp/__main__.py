"""Entry point of `python -m openral_mcp`."""

import sys

from openral_core.errors import OpenRALError
from openral_mcp.cli import commands

if __name__ == "__main__":
    try:
        commands()
    except OpenRALError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
