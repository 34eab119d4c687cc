"""Brain `local`: weights, adapter, worker and client, with a model of a few thousand weights."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from small_language_model import write_language_model

from openral_core.detectors import LifecycleState
from openral_core.missions import MissionState
from openral_reasoner.compact.choices import FORMAT
from openral_reasoner.context import Choice, Context, RawCall
from openral_reasoner.core.mission_core import Core
from openral_reasoner.llm.base import ModelUnavailable, ResidentModel
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.search_benchmark import draw, search_palette
from openral_testing.reasoner.simulator import home_timeline
from openral_training.local import client
from openral_training.local.adapter import Adapter, UnusableAdapter, file_digest, read_adapter
from openral_training.local.client import (
    LocalFiles,
    LocalModel,
    LocalModelNotLoaded,
    NoBaseModel,
    local_files,
)
from openral_training.local.prepare import MAX_TOKENS, prepared
from openral_training.local.weights import UnusableWeights, read_weights
from openral_training.local.worker import LineChooser

LINES = ["done", "ask", "fail", "recall mug", "recall book", "goto shelf"]
STATE = 'Goal: "bring me the mug"\n> recall mug\nfound: mug_1\nHand: empty\n>'


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_language_model(tmp_path_factory.mktemp("model") / "small.gguf")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def files(base: Path, cache: Path) -> LocalFiles:
    """An adapter that changes nothing: with it the prompt has no examples, which would fill this window."""
    path = cache / "nothing.npz"
    Adapter(file_digest(base), FORMAT, {}).save(path)
    return LocalFiles(base, path, cache)


@pytest.fixture
def model(files: LocalFiles) -> Iterator[LocalModel]:
    made = LocalModel(files, 20.0)
    yield made
    made.close()


def context(*lines: str) -> Context:
    choices = tuple(
        Choice(line=line, call=RawCall(tool="recall_object", arguments=f'{{"query": "{line}"}}'))
        for line in lines
    )
    return Context(system="", goal="go", requester="", palette=ToolPalette(), tools=(), choices=choices)


def reference_hidden(base: Path, tokens: list[int]) -> np.ndarray:
    """Return the last hidden state, computed in float64 as the papers of the layers have it."""
    weights = read_weights(base)
    shape, w = weights.shape, lambda name: weights.tensor(name).astype(np.float64)

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + shape.epsilon) * w(name)

    def rotate(x: np.ndarray) -> np.ndarray:
        angles = np.outer(
            np.arange(len(tokens)), shape.rope_base ** (-np.arange(0, shape.head_width, 2) / shape.head_width)
        )
        pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
        return np.stack((pairs.real, pairs.imag), -1).reshape(x.shape)

    x = w("token_embd.weight")[tokens]
    mask = np.triu(np.full((len(tokens), len(tokens)), -np.inf), 1)
    for layer in range(shape.layers):
        h = norm(x, f"blk.{layer}.attn_norm.weight")
        q, k, v = (
            (h @ w(f"blk.{layer}.attn_{part}.weight").T)
            .reshape(len(tokens), -1, shape.head_width)
            .swapaxes(0, 1)
            for part in "qkv"
        )
        q, k = rotate(q), rotate(k)
        k, v = (np.repeat(each, shape.heads // shape.kv_heads, 0) for each in (k, v))
        scores = np.exp(q @ k.swapaxes(1, 2) / np.sqrt(shape.head_width) + mask)
        y = (scores / scores.sum(-1, keepdims=True)) @ v
        x = x + y.swapaxes(0, 1).reshape(len(tokens), -1) @ w(f"blk.{layer}.attn_output.weight").T
        h = norm(x, f"blk.{layer}.ffn_norm.weight")
        gate = h @ w(f"blk.{layer}.ffn_gate.weight").T
        h = gate / (1 + np.exp(-gate)) * (h @ w(f"blk.{layer}.ffn_up.weight").T)
        x = x + h @ w(f"blk.{layer}.ffn_down.weight").T
    return norm(x, "output_norm.weight")[-1]


def test_the_graph_computes_what_the_layers_say(base: Path, cache: Path) -> None:
    chooser = LineChooser(prepared(base, None, cache))
    tokens = list(range(20, 60))
    hidden = chooser._extend(tokens)
    expected = reference_hidden(base, tokens)
    assert np.corrcoef(hidden, expected)[0, 1] > 0.999
    assert np.abs(hidden - expected).max() < 0.05 * np.abs(expected).max()


def test_a_cached_prompt_leads_to_the_same_choice_with_less_reading(base: Path, cache: Path) -> None:
    folder = prepared(base, None, cache)
    fresh, used = LineChooser(folder), LineChooser(folder)
    before = used.choose(STATE, LINES)
    longer = STATE.replace("Hand: empty\n>", "> grasp mug_1\nok\nHand: mug\n>")
    again, alone = used.choose(longer, LINES), fresh.choose(longer, LINES)
    assert before.cached == 0 < again.cached < again.read == alone.read
    assert again.index == alone.index


def test_an_adapter_changes_the_choice_and_is_bound_to_its_base(
    base: Path, cache: Path, tmp_path: Path
) -> None:
    rng, name = np.random.default_rng(3), "blk.2.ffn_down.weight"
    rows, columns = read_weights(base).tensor(name).shape
    factors = {
        name: (
            rng.normal(size=(4, columns)).astype(np.float32),
            rng.normal(size=(rows, 4)).astype(np.float32),
        )
    }
    path = tmp_path / "planner.npz"
    Adapter(file_digest(base), FORMAT, factors).save(path)
    assert np.allclose(read_adapter(path).change(name), factors[name][1] @ factors[name][0], atol=0.1)
    plain, adapted = LineChooser(prepared(base, None, cache)), LineChooser(prepared(base, path, cache))
    assert not np.allclose(plain._extend([1, 2, 3]), adapted._extend([1, 2, 3]), atol=0.1)
    other = write_language_model(tmp_path / "other.gguf", seed=1)
    with pytest.raises(UnusableAdapter, match="SHA-256"):
        prepared(other, path, cache)
    Adapter(file_digest(base), FORMAT + 1, factors).save(path)
    with pytest.raises(UnusableAdapter, match="format"):
        prepared(base, path, cache)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(UnusableAdapter, match="cannot be read"):
        prepared(base, path, cache)


def test_bad_weights_are_refused_with_what_would_be_valid(base: Path, cache: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(base.read_bytes()[: base.stat().st_size // 2])
    text = tmp_path / "text.gguf"
    text.write_text("no model")
    for path in (cut, text, tmp_path / "nothing.gguf", tmp_path):
        with pytest.raises(UnusableWeights, match="valid is a GGUF file") as refused:
            prepared(path, None, cache)
        assert len(str(refused.value)) < 2000
    with pytest.raises(LocalModelNotLoaded, match="valid is a GGUF file"):
        LocalModel(LocalFiles(cut, None, cache), 5.0)


def test_a_base_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "BASE_PACKAGE", "openral_no_such_package")
    with pytest.raises(NoBaseModel, match="98 MB"):
        local_files()


def test_the_worker_picks_one_of_the_choices(model: LocalModel) -> None:
    decision = model(context(*LINES))
    assert decision.calls[0] in [choice.call for choice in context(*LINES).choices]
    assert decision.cost == 0.0
    assert decision.read > 0
    assert model(context(*LINES)).cached > 0


def test_a_prompt_without_choices_or_too_long_is_refused_and_the_worker_goes_on(model: LocalModel) -> None:
    with pytest.raises(ModelUnavailable, match="NO_CHOICES"):
        model(context())
    with pytest.raises(ModelUnavailable, match=f"at most {MAX_TOKENS}"):
        model(context(*LINES, "recall " + "x" * 3000))
    assert model(context(*LINES)).calls


def test_a_worker_killed_between_decisions_is_replaced(model: LocalModel) -> None:
    first = model(context(*LINES))
    os.kill(model._worker.process.pid, signal.SIGKILL)
    assert model(context(*LINES)).calls == first.calls


def test_a_worker_killed_in_mid_decision_is_replaced(model: LocalModel) -> None:
    first = model(context(*LINES))
    pid = model._worker.process.pid
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    assert model(context(*LINES)).calls == first.calls
    assert model._worker.process.pid != pid


def test_the_worker_is_a_resident_that_gives_its_memory_back(model: LocalModel) -> None:
    assert isinstance(model, ResidentModel)
    first, active = model(context(*LINES)), model.resident
    assert (active.state, active.held) == (LifecycleState.ACTIVE, True)
    pid = model._worker.process.pid
    model.set_active(False)
    assert not psutil.pid_exists(pid)
    gone = model.resident
    assert (gone.state, gone.held, gone.memory) == (LifecycleState.INACTIVE, False, active.memory)
    model.set_active(True)
    assert model.resident.held
    assert model(context(*LINES)).calls == first.calls


def test_a_worker_that_does_not_load_again_is_a_typed_failure(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.set_active(False)
    monkeypatch.setattr(client, "WORKER", "openral_no_such_module")
    with pytest.raises(ModelUnavailable, match="WORKER_LOST"):
        model.set_active(True)
    assert model.resident.state is LifecycleState.INACTIVE


def test_a_stuck_worker_costs_a_decision_not_the_mission(files: LocalFiles) -> None:
    model = LocalModel(files, 1.0)
    os.kill(model._worker.process.pid, signal.SIGSTOP)
    with pytest.raises(ModelUnavailable, match="TIMEOUT"):
        model(context(*LINES))
    model.deadline = 20.0
    assert model(context(*LINES)).calls
    model.close()


def test_workers_that_are_lost_again_and_again_are_not_started_for_ever(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "WORKER", "openral_no_such_module")
    os.kill(model._worker.process.pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="WORKER_LOST"):
            model(context(*LINES))
    started = time.monotonic()
    with pytest.raises(ModelUnavailable, match="next start in"):
        model(context(*LINES))
    assert time.monotonic() - started < 30


def test_an_answer_outside_the_list_is_a_failure(model: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.LineWorker, "request", lambda self, document, seconds: {"index": 99})
    with pytest.raises(ModelUnavailable, match="NOT_A_CHOICE"):
        model(context(*LINES))


def test_a_mission_ends_typed_with_a_model_that_knows_nothing(model: LocalModel) -> None:
    problem, core = draw(1), Core(MissionSettings(prompt="compact"))
    peers, goal = HomePeers(problem.home), f"find the {problem.target}"
    line = home_timeline(core, peers.answer, model, lambda: search_palette(problem.home), goal, "")
    assert [end.state in MissionState for end in line.run()] == [True]
