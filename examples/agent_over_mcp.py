"""An agent that uses the robot as a tool, by the Model Context Protocol.

It asks memory for an object, has the robot look for it if that is not enough, and reads the evidence. A
language model would choose the calls; here a few lines do.

Usage: tools/env python examples/agent_over_mcp.py "mug"
"""

import os
import sys
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

SERVER = StdioServerParameters(
    command=sys.executable, args=["-m", "openral_mcp", "--allow-missions"], env=dict(os.environ)
)


async def call(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """Call a tool; return its structured result."""

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        print(f"  {message}")

    result = await client.call_tool(tool, arguments, progress_callback=progress)
    if result.is_error or result.structured_content is None:
        raise RuntimeError(f"{tool} was refused: {result.content}")
    print(f"{tool}: {result.structured_content['status']} {result.structured_content['message']}")
    return dict(result.structured_content)


async def find(name: str) -> int:
    """Find an object; 0 if the robot has evidence for it."""
    async with Client(SERVER, read_timeout_seconds=600.0) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
        recalled = await call(client, "recall_object", query=name)
        for match in recalled["matches"]:
            print(f"  {match['id']} ({match['presence']}) at {match['position']} m, room {match['room']!r}")
        mission = await call(client, "start_mission", goal=f"find the {name}", wait=300.0)
        if mission["status"] == "WAITING_FOR_HUMAN":
            print(f"  the robot asks: {mission['question']['question']}")
            mission = await call(client, "stop")
        print(mission["status"], *mission.get("evidence", ()), sep="\n  ")
        return 0 if mission["status"] == "SUCCEEDED" else 1


if __name__ == "__main__":
    sys.exit(anyio.run(find, " ".join(sys.argv[1:]) or "mug"))
