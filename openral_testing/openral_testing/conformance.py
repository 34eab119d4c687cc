"""Selection, time limit and measurements of the conformance kits."""

from dataclasses import dataclass
from pathlib import Path

import pytest

MEASURED = pytest.StashKey[dict[str, object]]()


@dataclass(frozen=True)
class Kit:
    """A kit: tests in a folder of this package, run if an option is given."""

    option: str  # Option that names what is tested; without it the kit does nothing.
    folder: Path  # Folder of the tests.
    fixtures: str  # Module of the fixtures, which need ROS.

    def select_tests(self, early_config: pytest.Config, args: list[str]) -> None:
        """Run only the kit if its option but no tests are given."""
        options = early_config.known_args_namespace
        name = self.option.removeprefix("--").replace("-", "_")
        if getattr(options, name) and not options.file_or_dir:
            args.append(str(self.folder))

    def ignores(self, path: Path, config: pytest.Config) -> bool | None:
        """Return True for tests of the kit without its option."""
        inside = path.resolve().is_relative_to(self.folder.resolve())
        return True if inside and not config.getoption(self.option) else None

    def load(self, config: pytest.Config) -> None:
        """Load the fixtures if the option is given."""
        for plugin in (__name__, self.fixtures):
            if config.getoption(self.option) and not config.pluginmanager.has_plugin(plugin):
                config.pluginmanager.import_plugin(plugin)


@pytest.fixture
def measured(pytestconfig: pytest.Config) -> dict[str, object]:
    """Measurements printed at the end of the run."""
    return pytestconfig.stash.setdefault(MEASURED, {})


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Lift a project's own time limit: the kits' waits are bounded, and twenty load cycles take long."""
    if config.pluginmanager.has_plugin("timeout"):
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.timeout(0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the measurements."""
    for name, value in config.stash.get(MEASURED, {}).items():
        terminalreporter.write_line(
            f"{name}: {value:.3f}" if isinstance(value, float) else f"{name}: {value}"
        )
