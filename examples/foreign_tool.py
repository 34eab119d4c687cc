"""A tool of your own package: tells what the pantry's list has.

The package names it in its ``pyproject.toml``, and the deployment offers it with ``tools:=pantry``::

    [project.entry-points."openral.tools"]
    pantry = "my_package.pantry:PantryTool"

Usage: tools/env python examples/foreign_tool.py milk
"""

import sys

from pydantic import BaseModel, Field

from openral_reasoner.foreign_tools import LoadedTool, ReadOnlyTool
from openral_reasoner.palette.entries import ForeignToolEntry

STOCK = {"milk": 2, "flour": 1}


class Item(BaseModel):
    """Arguments of the tool."""

    what: str = Field(max_length=80, description="in the singular")


class PantryTool(ReadOnlyTool[Item]):
    """Tool that only reads; an `ActingTool` may return an `ExecuteRskill`."""

    name = "pantry"
    description = "Count something in the pantry."
    arguments = Item

    def perform(self, arguments: Item) -> str:
        """Return the answer; it may take until the reasoner's ``tool_deadline``."""
        return f"{STOCK.get(arguments.what, 0)} x {arguments.what}"


def main(what: str) -> int:
    """Call the tool as the reasoner does; 0 if it answered."""
    entry = ForeignToolEntry(id="pantry", package="my-package", description="", parameters="{}")
    answer = LoadedTool(entry, PantryTool()).answer(Item(what=what).model_dump_json())
    print(f"{answer.status}: {answer.text}")
    return 0 if answer.status == "ANSWERED" else 1


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "milk"))
