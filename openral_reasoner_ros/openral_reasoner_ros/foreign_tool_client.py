"""Client of the tools of other packages: one thread per call, at most one call of a tool at a time."""

import threading
from collections.abc import Iterable
from functools import partial

from openral_reasoner.commands import CallForeignTool
from openral_reasoner.events import ForeignToolAnswered
from openral_reasoner.foreign_tools import ForeignAnswer, LoadedTool
from openral_reasoner_ros.dispatcher import Post
from openral_ros.resources import ResourceScope
from openral_ros.worker_thread import ExecutorQueue


class ForeignToolClient:
    """Calls tools off the executor; the core's deadline ends the wait, and it ignores a late answer."""

    def __init__(self, scope: ResourceScope, post: Post, tools: Iterable[LoadedTool]) -> None:
        self._tools, self._post = {each.entry.id: each for each in tools}, post
        self._running: dict[str, threading.Thread] = {}
        self._answers = ExecutorQueue(scope)

    def call(self, command: CallForeignTool) -> None:
        """Start a call; its answer is posted on the executor."""
        tool, last = self._tools.get(command.tool), self._running.get(command.tool)
        if tool is None:
            self._answer(command.call_id, ForeignAnswer(status="UNAVAILABLE"))
        elif last is not None and last.is_alive():
            busy = ForeignAnswer(status="BUSY", text="its last call has not returned")
            self._answer(command.call_id, busy)
        else:
            # A daemon thread, because a call that never returns must not keep the process alive.
            thread = threading.Thread(target=self._run, args=(tool, command), name="tool", daemon=True)
            self._running[command.tool] = thread
            thread.start()

    def _run(self, tool: LoadedTool, command: CallForeignTool) -> None:
        answer = tool.answer(command.arguments)
        self._answers.post(partial(self._answer, command.call_id, answer))

    def _answer(self, call_id: str, answer: ForeignAnswer) -> None:
        self._post(ForeignToolAnswered(call_id=call_id, answer=answer))
