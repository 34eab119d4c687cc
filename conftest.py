"""Fixtures shared by the tests of all packages: isolated ROS domains and bounded waiting."""

import os
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter
    from rclpy.context import Context
    from rclpy.node import Node
    from xdist.remote import Producer
    from xdist.scheduler import LoadGroupScheduling
    from xdist.workermanage import WorkerController

# Message modules read it when they are imported: a value of the wrong type for its field is an error here.
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"

ROOT = Path(__file__).parent
# pytest names a test after its path, openral_ros.test.test_x: import packages before their folders.
for package in sorted(ROOT.glob("*/openral_*/__init__.py")):
    import_module(package.parent.name)
if find_spec("openral_msgs"):  # generated: it is not in its folder
    import_module("openral_msgs")

# The duration of one example means nothing on a busy machine.
settings.register_profile("fast", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

NO_REAL_DATA = "there are none on this machine; `make real-data` fetches them"
GUARDS = "openral_ros.callback_guard"
SPIN = 0.02
"""Longest wait in one spin [s]."""
TIMEOUT = 60.0
"""Longest wait for a condition [s]: what takes milliseconds on an idle machine took seconds on a busy one."""
LEAVE_TIMEOUT = 5.0
"""Time for ending threads to release their nodes [s]."""


class ConditionNotMet(AssertionError):
    """A condition that stayed false until the timeout."""

    def __init__(self, condition: Callable[[], bool], timeout: float) -> None:
        super().__init__(f"still false after {timeout:g} s: {condition}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "LoadGroupScheduling":
    """Let a test whose worker process crashed be run once more, as a failed one.

    xdist's grouped scheduler gives the unfinished tests of a crashed worker to the others, but refuses to
    mark one as pending, which pytest-rerunfailures then reports as a failure. It also hands out again what
    the worker had finished: nothing to run, so that whichever gets it never reports, and pytest hangs.
    """
    from xdist.scheduler import LoadGroupScheduling

    class CrashTolerantScheduling(LoadGroupScheduling):  # type: ignore[misc]
        def mark_test_pending(self, item: str) -> None:
            """It is pending already: `remove_node` has put it back."""

        def remove_node(self, node: "WorkerController") -> str | None:
            units = self.assigned_work[node]
            for scope in [scope for scope, unit in units.items() if all(unit.values())]:
                del units[scope]
            crashed: str | None = super().remove_node(node)
            return crashed

    return CrashTolerantScheduling(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the list of what may be skipped with it."""
    parser.addoption("--strict-skips", action="store_true", help="fail what is skipped unless it is declared")
    parser.addoption("--require-real", action="store_true", help="fail without the data of tests marked real")
    parser.addini("declared_skips", "beginnings of the reasons accepted with --strict-skips", type="linelist")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked real if their data are missing; with --require-real, that is an error."""
    real = [item for item in items if item.get_closest_marker("real")]
    if not real or _real_data_folder() is not None:
        return
    if config.getoption("require_real"):
        raise pytest.UsageError(f"{len(real)} tests need real data: {NO_REAL_DATA}")
    items[:] = [item for item in items if item not in real]
    config.hook.pytest_deselected(items=real)


def pytest_terminal_summary(terminalreporter: "TerminalReporter") -> None:
    """Name the tier that was left out."""
    if _real_data_folder() is None:
        terminalreporter.write_line(f"tests marked real were left out: {NO_REAL_DATA}")


def _real_data_folder() -> Path | None:
    # Not at the top: it is not importable when pytest runs on a part of this checkout.
    if find_spec("openral_testing") is None:
        return None
    from openral_testing.real_data import find_real_data

    return find_real_data(ROOT)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of real photographs, depth and weights, for tests marked real."""
    from openral_testing.real_data import real_data

    return real_data(ROOT)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that is skipped for an undeclared reason."""
    report = yield
    if not hasattr(report, "wasxfail"):
        _refuse_undeclared_skip(item.config, report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a module that is skipped for an undeclared reason."""
    report = yield
    _refuse_undeclared_skip(collector.config, report)
    return report


def _refuse_undeclared_skip(config: pytest.Config, report: pytest.TestReport | pytest.CollectReport) -> None:
    strict = config.getoption("strict_skips", default=False)
    if not (strict and report.skipped and isinstance(report.longrepr, tuple)):
        return
    reason = report.longrepr[2].removeprefix("Skipped: ")
    if not reason.startswith(tuple(config.getini("declared_skips"))):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was skipped, and nothing declares that it may be: {reason}"


@pytest.fixture
def callback_errors(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record exceptions of guarded callbacks; a test without this fixture must not cause any."""
    caught: list[str] = []
    guards = sys.modules.get(GUARDS)
    if guards is not None:
        catch = guards.CallbackGuard.record

        def record(guard: object, source: str, error: BaseException) -> None:
            caught.append(f"{source}: {error!r}")
            catch(guard, source, error)

        monkeypatch.setattr(guards.CallbackGuard, "record", record)
    return caught


@pytest.fixture(autouse=True)
def _no_callback_errors(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test in which a guarded callback raised, unless it uses `callback_errors`."""
    expected = "callback_errors" in request.fixturenames
    caught: list[str] = request.getfixturevalue("callback_errors")
    yield
    assert expected or not caught, "callbacks raised: " + "; ".join(caught)


@pytest.fixture
def ros_domain(tmp_path: Path) -> Iterator[int]:
    """Reserve a ROS_DOMAIN_ID on this machine for one test; child processes inherit it."""
    pytest.importorskip("domain_coordinator")
    # Not at the top: it is not importable when pytest runs from elsewhere on a part of this checkout.
    from dds_ports import reserved_domain

    with reserved_domain(tmp_path / "ros") as domain:
        yield domain


@pytest.fixture
def ros_context(ros_domain: int) -> "Iterator[Context]":
    """Provide an initialised rclpy context in its own domain.

    Nodes that a test does not destroy would be visible to a later test in the same domain: that is an error.
    """
    rclpy = pytest.importorskip("rclpy")
    context = rclpy.context.Context()
    rclpy.init(context=context, domain_id=ros_domain)
    yield context
    rclpy.try_shutdown(context=context)
    _wait_for_participants(ros_domain)


def _wait_for_participants(domain: int) -> None:
    """Wait until this process has no DDS participant left in the domain."""
    from dds_ports import ports_held

    deadline = time.monotonic() + LEAVE_TIMEOUT
    while held := ports_held(domain):
        assert time.monotonic() < deadline, f"nodes were not destroyed: domain {domain} still has {held}"
        time.sleep(SPIN)


@pytest.fixture
def wait_until() -> Callable[..., None]:
    """`wait_until(condition, timeout)`: wait for what other threads or processes make true."""

    def wait(condition: Callable[[], bool], timeout: float = TIMEOUT) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise ConditionNotMet(condition, timeout)
            time.sleep(SPIN)

    return wait


@pytest.fixture
def spin_until() -> "Callable[..., None]":
    """`spin_until(nodes, condition, timeout)`: spin one node or several until the condition holds."""
    return spin_nodes_until


def spin_nodes_until(
    nodes: "Node | Sequence[Node]", condition: Callable[[], bool], timeout: float = TIMEOUT
) -> None:
    """Spin nodes of one context until the condition holds.

    Args:
        nodes: One node, or several of the same context.
        condition: Asked after every callback.
        timeout: Longest wait in [s].

    Raises:
        ConditionNotMet: If the condition is still false after the timeout.
    """
    from rclpy.executors import SingleThreadedExecutor

    together: list[Node] = list(nodes) if isinstance(nodes, Sequence) else [nodes]
    executor = SingleThreadedExecutor(context=together[0].context)
    for node in together:
        executor.add_node(node)
    deadline = time.monotonic() + timeout
    try:
        while not condition():
            if time.monotonic() > deadline:
                raise ConditionNotMet(condition, timeout)
            executor.spin_once(timeout_sec=SPIN)
    finally:
        for node in together:
            executor.remove_node(node)
        executor.shutdown()
