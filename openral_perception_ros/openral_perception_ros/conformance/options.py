"""Options of the conformance kit: ``pytest --detector <id>`` tries one detector, ours or a third party's."""

from pathlib import Path

import pytest

FIXTURES = "openral_perception_ros.conformance.plugin"
KIT = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """The detector under test and where its parts lie."""
    group = parser.getgroup("detector conformance")
    group.addoption("--detector", default="", help="id, alias, slug or folder of the detector to test")
    group.addoption("--rskills", action="append", default=[], help="folder of rSkills; may be repeated")
    group.addoption("--weights-dir", default="", help="where weights lie")
    group.addoption("--environments", default=".environments", help="where Python environments lie")
    group.addoption("--device", default="cpu", help="where the model runs")
    group.addoption("--remote-code", action="store_true", help="let a pinned checkpoint run its own code")
    group.addoption("--lives", type=int, default=20, help="loads and unloads of the leak test")
    group.addoption("--patience", type=float, default=10.0, help="a look longer than this [s] is a hang")
    group.addoption(
        "--min-recall", type=float, default=0.0, help="share of the pictures' things it has to find"
    )


def pytest_configure(config: pytest.Config) -> None:
    """With a detector and no tests named, run the kit alone."""
    if not config.getoption("--detector"):
        return
    if not config.pluginmanager.has_plugin(FIXTURES):
        config.pluginmanager.import_plugin(FIXTURES)
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = [str(KIT)]
