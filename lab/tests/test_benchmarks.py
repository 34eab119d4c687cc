"""Every benchmark can be imported: names that they use moved once without them."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def benchmarks() -> ModuleType:
    return import_module("benchmarks.__main__")


def test_every_module_with_a_run_function_is_imported_and_listed(benchmarks: ModuleType) -> None:
    listed = {file.stem for file in (ROOT / "benchmarks").glob("*.py") if "\ndef run(" in file.read_text()}
    assert set(benchmarks.names()) >= listed
    assert "mission_success" in listed


def test_an_unknown_benchmark_is_refused_with_the_known_ones(
    benchmarks: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert benchmarks.main(["no-such"]) == 2
    assert "faults" in capsys.readouterr().err


def test_a_failing_benchmark_does_not_keep_the_others_from_running(
    benchmarks: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[str] = []

    def measure(name: str, console: object) -> None:
        measured.append(name)
        if name == "faults":
            raise RuntimeError("no graph")

    monkeypatch.setattr(benchmarks, "measure", measure)
    assert benchmarks.main(["faults", "memory"]) == 1
    assert measured == ["faults", "memory"]
    assert "failed: faults" in capsys.readouterr().err
