"""Server of TextWorldExpress, run by an interpreter that has the package: one JSON request and reply a line.

It imports nothing of this repository. Its standard output is for replies alone.
"""

import json
import sys
from pathlib import Path
from typing import Any

import textworld_express
from textworld_express import TextWorldExpressEnv

OBJECTS = Path(textworld_express.__file__).with_name("twc_objects.folds.json")
MAX_STEPS = 10_000
"""Steps after which the engine would end a game; the client has limits of its own."""


def begin(env: TextWorldExpressEnv, request: dict[str, Any]) -> dict[str, Any]:
    """Generate a game; return its first description, and where its objects count."""
    env.load(gameName=request["game"], gameParams=request["parameters"])
    _, infos = env.reset(seed=request["seed"], gameFold=request["fold"], generateGoldPath=True)
    fold = {"dev": "valid"}.get(request["fold"], request["fold"])
    objects = json.loads(OBJECTS.read_text(encoding="utf-8"))[fold]
    belongs = {name: entry["locations"] for name, entry in objects.items()}
    return state_of(infos) | {"gold": env.getGoldActionSequence(), "belongs": belongs}


def state_of(infos: dict[str, Any]) -> dict[str, Any]:
    """Return what a player is told after a command."""
    reply = {key: infos[key] for key in ("observation", "look", "score")}
    return reply | {"valid": sorted(infos["validActions"]), "task": infos["taskDescription"]}


def main() -> None:
    """Answer requests until the input ends."""
    replies, sys.stdout = sys.stdout, sys.stderr
    env = TextWorldExpressEnv(envStepLimit=MAX_STEPS)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = begin(env, request) if "game" in request else state_of(env.step(request["command"])[3])
        except (KeyError, ValueError) as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
    env.close()


if __name__ == "__main__":
    main()
