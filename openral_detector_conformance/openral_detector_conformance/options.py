"""Options of the conformance kit: ``pytest --detector <id>`` tries one detector, ours or a third party's."""

import argparse
from pathlib import Path

import pytest

FIXTURES = "openral_detector_conformance.plugin"
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
        "--min-recall",
        type=_share,
        default=None,
        help="share of the pictures' things it has to find, above 0 up to 1; without it that test is skipped",
    )


def _share(word: str) -> float:
    """A demand that can be missed."""
    share = float(word)
    if not 0.0 < share <= 1.0:
        raise argparse.ArgumentTypeError(f"{word}: above 0 and up to 1; leave it out to demand nothing")
    return share


def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """With a detector and no tests named, run the kit alone."""
    known = early_config.known_args_namespace
    if known.detector and not known.file_or_dir:
        args.append(str(KIT))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without a detector there is nothing to try; all tests of the package do not include the kit."""
    inside = collection_path.resolve().is_relative_to(KIT.resolve())
    return True if inside and not config.getoption("--detector") else None


def pytest_configure(config: pytest.Config) -> None:
    """Its fixtures need ROS and are loaded only when it runs."""
    if config.getoption("--detector") and not config.pluginmanager.has_plugin(FIXTURES):
        config.pluginmanager.import_plugin(FIXTURES)
