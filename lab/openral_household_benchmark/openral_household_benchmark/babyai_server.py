"""Server of BabyAI levels, run by an interpreter that has `minigrid`: one JSON request and reply a line.

It imports nothing of this repository. Its standard output is for replies alone: what the packages print on
import and while they generate a level is dropped.
"""

import json
import os
import sys
from importlib import import_module
from typing import Any, Protocol

ACTIONS = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
"""Actions in the order of their numbers in `minigrid`."""


class GymLevel(Protocol):
    """Environment of gymnasium."""

    unwrapped: Any

    def reset(self, *, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Generate the level; return the first view."""

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take an action; return the view, the reward, and whether the level ended, or ran out of steps."""

    def close(self) -> None:
        """End the level."""


def begin(request: dict[str, Any]) -> tuple[GymLevel, dict[str, Any]]:
    """Generate a level; return it with its mission and the first view."""
    level = make(request)
    view, _ = level.reset(seed=request["seed"])
    reply = state_of(view, 0.0, terminated=False, truncated=False)
    limit = int(level.unwrapped.max_steps)
    return level, reply | {"mission": view["mission"], "max_steps": limit, "reference": reference(request)}


def make(request: dict[str, Any]) -> GymLevel:
    """Return a level that is not generated yet."""
    import_module("minigrid")
    level: GymLevel = import_module("gymnasium").make(request["level"])
    return level


def reference(request: dict[str, Any]) -> int:
    """Return the steps of BabyAI's own bot in a copy of the level; 0 if it does not complete it."""
    level = make(request)
    level.reset(seed=request["seed"])
    bot = import_module("minigrid.utils.baby_ai_bot").BabyAIBot(level.unwrapped)
    action, steps, reward, over = None, 0, 0.0, False
    try:
        while not over:
            action = bot.replan(action)
            _, reward, terminated, truncated, _ = level.step(action)
            steps, over = steps + 1, terminated or truncated
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError):
        return 0
    finally:
        level.close()
    return steps if reward > 0.0 else 0


def state_of(view: dict[str, Any], reward: float, *, terminated: bool, truncated: bool) -> dict[str, Any]:
    """Return what a player is told after an action."""
    return {
        "image": view["image"].tolist(),
        "direction": int(view["direction"]),
        "reward": float(reward),
        "terminated": bool(terminated),
        "truncated": bool(truncated),
    }


def main() -> None:
    """Answer requests until the input ends."""
    level: GymLevel | None = None
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        replies, sys.stdout = sys.stdout, nowhere
        for line in sys.stdin:
            request = json.loads(line)
            try:
                if "level" in request:
                    level, reply = begin(request)
                elif level is None:
                    reply = {"error": "no level was begun"}
                else:
                    view, reward, terminated, truncated, _ = level.step(ACTIONS.index(request["action"]))
                    reply = state_of(view, reward, terminated=terminated, truncated=truncated)
            except (KeyError, ValueError) as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
            replies.write(json.dumps(reply) + "\n")
            replies.flush()
        sys.stdout = replies


if __name__ == "__main__":
    main()
