"""Executor that waits as rclpy's own does, at less than half of its processor time.

rclpy wakes its wait set twice for every callback, so that other threads of a `MultiThreadedExecutor` see what
has become free, and waits for the QoS events of every publisher and subscription each time. A node at rest
spends most of its time on that. Here callbacks run on the spinning thread, which builds its next wait set
anyway, and QoS events, which stay pending, are looked at every five seconds. What is not public API of rclpy
is checked as in `rclpy_internals`.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from rclpy.event_handler import EventHandler
from rclpy.exceptions import InvalidHandle
from rclpy.executors import (
    ConditionReachedException,
    Executor,
    ExternalShutdownException,
    ShutdownException,
    TimeoutException,
    TimeoutObject,
)
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.task import Task
from rclpy.waitable import NumberOfEntities, Waitable

Work = tuple[Task, "Entity", Node | None]
"""A task, the entity whose callback it runs, and its node."""
EVENTS_PERIOD = 5_000_000_000
"""Time between two waits that include QoS events, of which rclpy only warns [ns]."""
Entity: TypeAlias = Any
"""Subscription, timer, guard condition, client, service or waitable, with attributes of rclpy alone."""
WaitSet: TypeAlias = Any
"""Wait set of rclpy's C++ part."""


Handle: TypeAlias = Any
"""Object of rclpy's C++ part that is not destroyed between ``__enter__`` and ``__exit__``."""


class LeanExecutor(Executor):
    """Base of executors that run callbacks on the spinning thread; see `rclpy.executors.Executor`."""

    _tasks: list[Work]
    _events_due = 0

    def runs_apart(self, entity: object) -> bool:
        """Return whether the callback of an entity runs on a thread of its own, which must wake this one."""
        return False

    def _wait_for_ready_callbacks(
        self,
        timeout_sec: float | TimeoutObject | None = None,
        nodes: list[Node] | None = None,
        condition: Callable[[], bool] = lambda: False,
    ) -> Iterator[Work]:
        """Yield ready callbacks, as `wait_for_ready_callbacks` documents."""
        deadline = deadline_of(timeout_sec)
        has_work = False
        while not has_work and not self._is_shutdown and not condition():
            for work in self._wait_once(self.get_nodes() if nodes is None else nodes, deadline):
                has_work = True
                yield work
        if self._is_shutdown:
            raise ShutdownException
        if condition():
            raise ConditionReachedException

    def _wait_once(self, nodes: list[Node], deadline: int | None) -> Iterator[Work]:
        """Yield the tasks in progress, then what is ready after one wait."""
        yield from self._resumable(nodes)
        self._drop_finished()
        guards = self._guard, self._sigint_gc
        entities = WaitingEntities(nodes, guards, self.can_execute, events=self._events_are_due())
        until = self._events_due if deadline is None else min(deadline, self._events_due)
        with entities.waited(self._context.handle, remaining(until)) as wait_set:
            self._raise_if_ended()
            for waitable, node in entities.ready_waitables(wait_set):
                yield self._make_handler(waitable, node, self._take_waitable), waitable, node
        for entity, node, take in entities.ready:
            if entity.callback_group.can_execute(entity):
                yield self._make_handler(entity, node, getattr(self, take)), entity, node
        if deadline is not None and time.monotonic_ns() >= deadline:
            raise TimeoutException

    def _events_are_due(self) -> bool:
        """Return whether the next wait includes QoS events; they stay pending in between."""
        now = time.monotonic_ns()
        if now < self._events_due:
            return False
        self._events_due = now + EVENTS_PERIOD
        return True

    def _resumable(self, nodes: list[Node]) -> Iterator[Work]:
        """Yield the tasks in progress, the newest first.

        One that finished may have completed a future that another one awaits: then the coming wait is short.
        """
        with self._tasks_lock:
            tasks = list(self._tasks)
        has_finished = False
        for task, entity, node in reversed(tasks):
            if not task.executing() and not task.done() and (node is None or node in nodes):
                yield task, entity, node
                has_finished |= task.done()
        if has_finished and not all(task.done() for task, _, _ in tasks):
            self.wake()

    def _drop_finished(self) -> None:
        with self._tasks_lock:
            self._tasks = [work for work in self._tasks if not (work[0].done() or work[0].cancelled())]

    def _raise_if_ended(self) -> None:
        if self._is_shutdown:
            raise ShutdownException
        if not self._context.ok():
            raise ExternalShutdownException

    def _make_handler(
        self, entity: Entity, node: Node, take_from_wait_list: Callable[[Entity], Callable[..., Any] | None]
    ) -> Task:
        """Return the task that runs an entity's callback; it wakes the executor only from another thread."""
        if self.runs_apart(entity):
            return super()._make_handler(entity, node, take_from_wait_list)
        entity._executor_event = True  # keeps it out of the wait set until its message was taken

        async def handle() -> None:
            if self._is_shutdown or not entity.callback_group.beginning_execution(entity):
                entity._executor_event = False
                return
            with self._work_tracker:
                execute = take_from_wait_list(entity)
                entity._executor_event = False
                try:
                    if execute is not None:
                        await execute()
                finally:
                    entity.callback_group.ending_execution(entity)

        task = Task(handle, executor=self)
        with self._tasks_lock:
            self._tasks.append((task, entity, node))
        return task


def deadline_of(timeout: float | TimeoutObject | None) -> int | None:
    """Return the steady time at which a timeout [s] ends [ns]; None or a negative one never does."""
    seconds = timeout.timeout if isinstance(timeout, TimeoutObject) else timeout
    if seconds is None or seconds < 0:
        return None
    return time.monotonic_ns() + int(seconds * 1e9)


def remaining(deadline: int) -> int:
    """Return the time until a deadline [ns], for `WaitSet.wait`."""
    return max(deadline - time.monotonic_ns(), 0)


class WaitingEntities:
    """The entities of some nodes that can execute, for one wait; ``ready`` afterwards holds those to take.

    Args:
        nodes: Whose entities are waited for.
        guards: Guard conditions that only end the wait.
        can_execute: Returns whether an entity is free.
        events: Wait for QoS events too.
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        guards: Iterable[Entity],
        can_execute: Callable[[Entity], bool],
        *,
        events: bool,
    ) -> None:
        self.ready: list[tuple[Entity, Node, str]] = []
        self._held: list[Handle] = []
        self._by_kind: dict[str, list[tuple[Entity, Node, Handle]]] = {kind: [] for kind in TAKE}
        self._waking = [guard.handle for guard in guards]
        self._waitables: list[tuple[Waitable, Node]] = []
        for node in nodes:
            for kind, entities in entities_of(node).items():
                self._by_kind[kind] += [
                    (entity, node, entity.handle) for entity in entities if can_execute(entity)
                ]
            self._waitables += [
                (waitable, node)
                for waitable in node.waitables
                if (events or not isinstance(waitable, EventHandler)) and can_execute(waitable)
            ]

    @contextmanager
    def waited(self, context: Handle, timeout: int) -> Iterator[WaitSet]:
        """Wait for up to ``timeout`` [ns]; nothing is destroyed by another thread until the block ends."""
        try:
            self._hold_all(context)
            wait_set = self._filled(context)
            wait_set.wait(timeout)
            self._collect(wait_set)
            yield wait_set
        finally:
            for handle in self._held:
                handle.__exit__(None, None, None)

    def ready_waitables(self, wait_set: WaitSet) -> Iterator[tuple[Waitable, Node]]:
        """Yield the ready waitables; each is checked again before its turn."""
        for waitable, node in self._waitables:
            if waitable.is_ready(wait_set) and waitable.callback_group.can_execute(waitable):
                yield waitable, node

    def _hold_all(self, context: Handle) -> None:
        """Keep every handle from being destroyed, and leave out those that are already."""
        self._hold(context)
        self._waking = [handle for handle in self._waking if self._hold(handle)]
        for kind, entries in self._by_kind.items():
            self._by_kind[kind] = [entry for entry in entries if self._hold(entry[2])]
        self._waitables = [entry for entry in self._waitables if self._hold(entry[0])]

    def _hold(self, handle: Handle) -> bool:
        try:
            handle.__enter__()
        except InvalidHandle:
            return False
        self._held.append(handle)
        return True

    def _filled(self, context: Handle) -> WaitSet:
        """Return a wait set with every entity."""
        counts, events = NumberOfEntities(), 0
        for waitable, _ in self._waitables:
            if isinstance(waitable, EventHandler):
                events += 1
            else:
                counts += waitable.get_num_entities()
        kinds = self._by_kind
        wait_set = rclpy_implementation.WaitSet(
            counts.num_subscriptions + len(kinds["subscription"]),
            counts.num_guard_conditions + len(kinds["guard_condition"]) + len(self._waking),
            counts.num_timers + len(kinds["timer"]),
            counts.num_clients + len(kinds["client"]),
            counts.num_services + len(kinds["service"]),
            counts.num_events + events,
            context,
        )
        wait_set.clear_entities()
        for kind, entries in kinds.items():
            add = getattr(wait_set, f"add_{kind}")
            for _, _, handle in entries:
                add(handle)
        for handle in self._waking:
            wait_set.add_guard_condition(handle)
        for waitable, _ in self._waitables:
            waitable.add_to_wait_set(wait_set)
        return wait_set

    def _collect(self, wait_set: WaitSet) -> None:
        """Find what is ready; a triggered guard condition is remembered, because waiting has reset it."""
        for kind, take in TAKE.items():
            pointers = wait_set.get_ready_entities(kind)
            for entity, node, handle in self._by_kind[kind] if pointers else ():
                if handle.pointer not in pointers or (kind == "timer" and not handle.is_timer_ready()):
                    continue
                if kind == "guard_condition":
                    entity._executor_triggered = True
                self.ready.append((entity, node, take))


TAKE = {
    "timer": "_take_timer",
    "subscription": "_take_subscription",
    "guard_condition": "_take_guard_condition",
    "client": "_take_client",
    "service": "_take_service",
}
"""Kinds of entities, in the order in which rclpy executes them, and its methods that take from them."""


def entities_of(node: Node) -> dict[str, list[Entity]]:
    """Return the entities of a node by kind; a guard condition that was not handled is triggered again."""
    guards = list(node.guards)
    for guard in guards:
        if guard._executor_triggered:
            guard.trigger()
    return {
        "timer": list(node.timers),
        "subscription": list(node.subscriptions),
        "guard_condition": guards,
        "client": list(node.clients),
        "service": list(node.services),
    }
