"""Command line and environment of a worker process."""

from pathlib import Path

import pytest

from openral_core.rskills import DetectorManifest
from openral_perception_ros.inference.worker_command import MissingEnvironment, worker_command


def test_an_environment_that_was_not_prepared_names_the_command(
    manifest: DetectorManifest, tmp_path: Path
) -> None:
    foreign = manifest.model_copy(
        update={"environment": manifest.environment.model_copy(update={"name": "other"})}
    )
    with pytest.raises(MissingEnvironment, match=f"openral weights prepare {manifest.id}"):
        worker_command(foreign, tmp_path)


def test_workers_of_two_rskills_copy_remote_code_to_folders_of_their_own(
    manifest: DetectorManifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    (tmp_path / "other" / "bin").mkdir(parents=True)
    (tmp_path / "other" / "bin" / "python").touch()
    foreign = manifest.environment.model_copy(update={"name": "other"})
    for environment in (manifest.environment, foreign):
        folders = {
            worker_command(
                manifest.model_copy(update={"id": rskill, "environment": environment}), tmp_path
            ).variables["HF_MODULES_CACHE"]
            for rskill in ("first", "second")
        }
        assert folders == {str(tmp_path / "modules" / "first"), str(tmp_path / "modules" / "second")}


@pytest.mark.parametrize("environment", ["main", "other"])
def test_no_key_reaches_a_worker(
    environment: str, manifest: DetectorManifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreter = tmp_path / "other" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.touch()
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "secret")
    chosen = manifest.environment.model_copy(update={"name": environment})
    command = worker_command(manifest.model_copy(update={"environment": chosen}), tmp_path)
    assert "secret" not in command.variables.values()
    assert "PATH" in command.variables
