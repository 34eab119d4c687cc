"""Real workers, with the engine that fails as asked."""

import dataclasses
import signal
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path

import psutil
import pytest

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineFrame, FailureKind, LoadOptions
from openral_perception_ros.inference.ipc import Detected, EngineFailed, Load, Ready, Reply, SharedFrameBuffer
from openral_perception_ros.inference.worker_process import (
    InferenceWorkerProcess,
    MissingEnvironment,
    WorkerCrashed,
    WorkerNotStarted,
    worker_command,
)

FAULTY = "openral_testing.detectors.faulty_worker"
PATIENCE = 20.0


def answer_of(worker: InferenceWorkerProcess) -> Reply:
    while wait([worker.connection], PATIENCE):
        reply = worker.receive()
        if reply is not None:
            return reply
    pytest.fail("no answer")


def started(manifest: DetectorManifest, folder: Path, **options: str) -> InferenceWorkerProcess:
    command = worker_command(manifest, Path("none"), FAULTY)
    worker = InferenceWorkerProcess(command.line, command.variables)
    worker.load(Load(manifest.model_copy(update={"options": options}), str(folder), LoadOptions()))
    return worker


@pytest.fixture
def worker(manifest: DetectorManifest, folder: Path) -> Iterator[InferenceWorkerProcess]:
    process = started(manifest, folder)
    assert isinstance(answer_of(process), Ready)
    yield process
    process.close()


def test_it_answers_what_was_asked(worker: InferenceWorkerProcess, scene: EngineFrame) -> None:
    worker.detect(scene, ("mug", "bread"))
    reply = answer_of(worker)
    assert isinstance(reply, Detected)
    assert [each.label for each in reply.detections] == ["mug", "bread"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("nan", FailureKind.BAD_DETECTIONS),
        ("sure", FailureKind.BAD_DETECTIONS),
        ("break", FailureKind.ENGINE_ERROR),
        ("refuse", FailureKind.OUT_OF_MEMORY),
        ("allocate", FailureKind.OUT_OF_MEMORY),
    ],
)
def test_a_broken_answer_is_a_typed_failure_and_the_worker_serves_on(
    worker: InferenceWorkerProcess, scene: EngineFrame, fault: str, kind: FailureKind
) -> None:
    worker.detect(scene, (fault,))
    failed = answer_of(worker)
    assert isinstance(failed, EngineFailed)
    assert failed.kind is kind
    worker.detect(scene, ("mug",))
    assert isinstance(answer_of(worker), Detected)


def test_a_frame_asked_about_twice_is_copied_once(
    worker: InferenceWorkerProcess, scene: EngineFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[object] = []
    write = SharedFrameBuffer.write
    monkeypatch.setattr(SharedFrameBuffer, "write", lambda *given: written.append(given[1]) or write(*given))
    later = dataclasses.replace(scene, stamp=scene.stamp + 1)
    for frame in (scene, scene, later, scene):
        worker.detect(frame, ("mug",))
        assert isinstance(answer_of(worker), Detected)
    assert len(written) == 3


def test_boxes_are_cut_to_the_image(worker: InferenceWorkerProcess, scene: EngineFrame) -> None:
    worker.detect(scene, ("outside",))
    reply = answer_of(worker)
    assert isinstance(reply, Detected)
    (box,) = (each.box for each in reply.detections)
    assert (box.x_min, box.y_min, box.x_max, box.y_max) == (0.0, 0.0, 30.0, 20.0)


@pytest.mark.parametrize(("fault", "words"), [("die", "SIGKILL"), ("leave", "exit code 3")])
def test_a_worker_that_ends_says_how(
    worker: InferenceWorkerProcess, scene: EngineFrame, fault: str, words: str
) -> None:
    worker.detect(scene, (fault,))
    with pytest.raises(WorkerCrashed, match=words):
        answer_of(worker)


def test_a_dead_worker_cannot_be_asked(worker: InferenceWorkerProcess, scene: EngineFrame) -> None:
    psutil.Process(worker.pid).kill()
    wait([worker.connection], PATIENCE)
    with pytest.raises(WorkerCrashed, match="SIGKILL"):
        worker.detect(scene, ("mug",))


def test_closing_ends_even_one_that_hangs(worker: InferenceWorkerProcess, scene: EngineFrame) -> None:
    worker.detect(scene, ("hang",))
    assert worker.close() == -signal.SIGKILL
    assert not psutil.pid_exists(worker.pid)


def test_missing_weights_name_the_command_to_run(manifest: DetectorManifest, folder: Path) -> None:
    worker = started(manifest, folder, load="missing_weights")
    failed = answer_of(worker)
    worker.close()
    assert isinstance(failed, EngineFailed)
    assert failed.kind is FailureKind.MISSING_WEIGHTS
    assert f"openral weights fetch {manifest.id}" in failed.message


def test_an_interpreter_that_is_not_there_is_named() -> None:
    with pytest.raises(WorkerNotStarted, match="/none/python"):
        InferenceWorkerProcess(["/none/python"], {})


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


def test_descriptors_do_not_pile_up(manifest: DetectorManifest, folder: Path, scene: EngineFrame) -> None:
    def opened() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    counts = []
    for _ in range(3):
        process = started(manifest, folder)
        answer_of(process)
        process.detect(scene, ("mug",))
        answer_of(process)
        process.close()
        counts.append(opened())
    assert counts[0] == counts[-1]


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
