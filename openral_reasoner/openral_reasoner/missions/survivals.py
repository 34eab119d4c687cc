"""The outermost edge of the core: a defect in it ends one mission in words, never the node."""

import traceback
from collections.abc import Callable

from openral_reasoner.exchanges.commands import Command
from openral_reasoner.exchanges.events import Event
from openral_reasoner.missions.core import Core


def handled(core: Core, event: Event, now: float, log: Callable[[str], None]) -> tuple[Command, ...]:
    """The commands that an event leads to; when the core breaks on it, those that end its mission FAILED."""
    try:
        return core.handle(event, now)
    except Exception as error:
        log(f"the core broke on {event.kind}:\n{traceback.format_exc()}")
        return core.broke(f"internal error on {event.kind}: {type(error).__name__}: {error}"[:500])
