"""Files and texts that a node reads: each is loaded, or refused with a typed error, and nothing else."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from fuzzing.message_values import TEXTS
from fuzzing.recordings import open_recording, valid_recording
from fuzzing.weights import FOLDER, load_weights, valid_weights
from openral_bringup.graph.nodes import overrides_of
from openral_core.consent.decisions import Consent
from openral_core.consent.identities import Identity
from openral_core.consent.policy import Subject, load_policy, parse_policy
from openral_core.errors import MAX_MESSAGE, OpenRALError
from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.robot import load_robot
from openral_core.rskills import Verb, load_manifest
from openral_core.text import Thesaurus
from openral_perception_ros.engines.weights_record import WeightsRecord
from openral_reasoner.context import RawCall
from openral_reasoner.core.journal import JournalHeader, event_line, header_line, read_journal, replay_journal
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import PaletteChanged, PromptReceived
from openral_reasoner.idle_state import IdleState
from openral_reasoner.llm.base import load_prices
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.recording import LineWriter
from openral_reasoner.settings import MissionSettings
from openral_reasoner.tools.registry import parse_call
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import load_scene
from openral_testing.recordings.lives import read_lives
from openral_testing.recordings.replay import replay, stories
from openral_world_state.data_association import AssociationGates, DataAssociator
from openral_world_state.observation import Observation
from openral_world_state.scene_graph import read_graph
from openral_world_state.spatial_memory.memory import MemoryLimits, SpatialMemory
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModelSettings

ROOT = Path(__file__).parents[2]
SPLICES = (
    *(text.encode() for text in TEXTS),
    b"\xff\xfe", b"\xed\xa0\x80", b"!!python/object/apply:os.system ['true']", b"&a [*a]", b"1e999",
    b"[" * 5000, b"[" * 100_000, b"{" * 5000, b"*", b"- " * 3000, b": : :", b"\t", b"9" * 5000, b"\x00" * 64,
)  # fmt: skip


@dataclass(frozen=True)
class FileEntrance:
    """One kind of file: its name, a valid content, and how it is read."""

    name: str
    file: str
    valid: Callable[[Path], bytes]
    load: Callable[[Path], object]
    folder: str = "file"

    def __str__(self) -> str:
        return f"file {self.name}"

    def prepare(self, folder: Path) -> bytes:
        """Make what the file refers to; return its valid content, which can be loaded."""
        (folder / self.folder).mkdir(exist_ok=True, parents=True)
        (folder / "maps").mkdir(exist_ok=True)
        (folder / "maps" / "studio.yaml").write_bytes((ROOT / "scenes/maps/studio.yaml").read_bytes())
        content = self.valid(folder)
        (folder / self.folder / self.file).write_bytes(content)
        self.load(folder / self.folder / self.file)
        return content

    def deliver(self, content: bytes, folder: Path) -> None:
        """Load a content; a typed refusal is right."""
        path = folder / self.folder / self.file
        path.write_bytes(content)
        try:
            self.load(path)
        except OpenRALError as error:
            refusal = str(error)
        else:
            refusal = ""
        finally:
            for each in path.parent.glob(f"{self.file}-*"):
                each.unlink()
        assert len(refusal.encode()) <= MAX_MESSAGE


@st.composite
def damaged(draw: Any, valid: bytes) -> bytes:
    """Return a content with flipped, lost, repeated or spliced bytes."""
    content = bytearray(valid)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(content) - 1)))
        kind = draw(st.sampled_from(("flip", "cut", "lose", "repeat", "splice", "swap")))
        length = draw(st.integers(1, 64))
        if kind == "flip" and content:
            content[at] ^= draw(st.integers(1, 255))
        elif kind == "cut":
            del content[at:]
        elif kind == "lose":
            del content[at : at + length]
        elif kind == "repeat":
            content[at:at] = content[at : at + length] * draw(st.integers(1, 8))
        elif kind == "splice":
            content[at : at + draw(st.integers(0, 12))] = draw(st.sampled_from(SPLICES))
        else:
            other = draw(st.integers(0, max(0, len(content) - 1)))
            content[at : at + length], content[other : other + length] = (
                content[other : other + length],
                content[at : at + length],
            )
    return bytes(content)


def file_of(*parts: str) -> Callable[[Path], bytes]:
    """Return a function that reads a file of the repository."""
    return lambda folder: ROOT.joinpath(*parts).read_bytes()


def _memory(folder: Path) -> bytes:
    path = folder / "valid.sqlite"
    memory = SpatialMemory(path, _thesaurus())
    covariance = (1e-4, 0.0, 0.0, 0.0, 1e-4, 0.0, 0.0, 0.0, 1e-4)
    seen = [
        Observation(label, 0.9, Pose((1.0 + 0.5 * n, 4.1, 0.95)), (0.1, 0.1, 0.1), covariance, 10.0, "d")
        for n, label in enumerate(("mug", "bread", "wine glass", "apple"))
    ]
    DataAssociator(memory, _thesaurus(), AssociationGates(), 0, MemoryLimits()).associate(tuple(seen), None)
    memory.commit()
    memory.close()
    return path.read_bytes()


def _open_memory(path: Path) -> None:
    world = open_world(None, str(path), WorldModelSettings(), _thesaurus())
    world.memory.close()


def _load_policy(path: Path) -> None:
    home = load_map(ROOT / "scenes" / "maps" / "home.yaml")
    policy = parse_policy(load_policy(str(path), home).to_yaml())
    for verb in Verb:
        policy.in_words(verb)
        Consent(policy, "s").decide(Subject(verb, objects=(Identity("knife"),), drives_to=(1.0, 1.0)), 0.0)


def _recording(folder: Path) -> bytes:
    return "\n".join(_lines(LineWriter())).encode()


def _lines(writer: LineWriter) -> list[str]:
    settings = MissionSettings()
    core, lines = Core(settings), [writer.settings(settings)]
    for now, event in enumerate(_events()):
        lines.append(writer.step(float(now), event, core.handle(event, float(now))))
    return lines


def _events() -> list[Any]:
    return [
        PaletteChanged(palette=ToolPalette()),
        PromptReceived(id="p", text="bring me the mug"),
        PromptReceived(id="q", text="stop"),
    ]


def _read_recording(path: Path) -> None:
    lives = list(islice(read_lives(path.read_text(errors="surrogateescape").splitlines()), 100))
    list(stories(lives))
    for life in lives:
        replay(life.settings, life.steps)


def _journal(folder: Path) -> bytes:
    header = JournalHeader(id="j", boot="b", settings=MissionSettings(), idle=IdleState())
    lines = [event_line(float(now), float(now), event) for now, event in enumerate(_events())]
    return "\n".join([header_line(header), *lines]).encode()


def _read_journal(path: Path) -> None:
    journal = read_journal(path.read_text(errors="surrogateescape").splitlines())
    if journal is not None:
        replay_journal(journal)


def _call(path: Path) -> None:
    words = path.read_bytes().decode(errors="surrogateescape" if path.stat().st_size % 2 else "replace")
    parse_call(RawCall(tool="recall_object", arguments=words), ToolPalette(spatial_memory_available=True))


def _record(folder: Path) -> bytes:
    record = WeightsRecord(
        rskill="small",
        uri="hf://a/b",
        revision="0" * 40,
        licence="MIT",
        files={"model.safetensors": "0" * 64},
    )
    return record.model_dump_json().encode()


@cache
def _thesaurus() -> Thesaurus:
    return Thesaurus.load()


FILES: Mapping[str, FileEntrance] = {
    entrance.name: entrance
    for entrance in (
        FileEntrance("memory", "memory.sqlite", _memory, _open_memory),
        FileEntrance("recording", "reasoner.jsonl", _recording, _read_recording),
        FileEntrance("journal", "mission.journal", _journal, _read_journal),
        FileEntrance("run", "run.mcap", valid_recording, open_recording),
        FileEntrance("policy", "policy.yaml", file_of("examples", "consent_policy.yaml"), _load_policy),
        FileEntrance("robot", "robot.yaml", file_of("robots", "mobile_manipulator.yaml"), load_robot),
        FileEntrance(
            "policy rSkill",
            "rskill.yaml",
            file_of("robots", "policies", "open-drawer-pi0", "rskill.yaml"),
            load_manifest,
            "open-drawer-pi0",
        ),
        FileEntrance("map", "map.yaml", file_of("scenes", "maps", "studio.yaml"), load_map),
        FileEntrance("scene", "scene.yaml", file_of("scenes", "deploy", "studio.yaml"), load_scene),
        FileEntrance(
            "simulated robot",
            "robot.yaml",
            file_of("openral_sim", "openral_sim", "robot", "descriptions", "franka.yaml"),
            lambda path: load_sim_robot(str(path)).model,
        ),
        FileEntrance("scene graph", "graph.json", file_of("scenes", "memory", "home.json"), read_graph),
        FileEntrance(
            "detector rSkill",
            "rskill.yaml",
            file_of("rskills", "omdet-turbo-locator", "rskill.yaml"),
            load_manifest,
            "omdet-turbo-locator",
        ),
        FileEntrance(
            "skill rSkill", "rskill.yaml", file_of("rskills", "grasp", "rskill.yaml"), load_manifest, "grasp"
        ),
        FileEntrance(
            "weights record", "openral-weights.json", _record, lambda path: WeightsRecord.read(path.parent)
        ),
        *(
            FileEntrance(f"weights {file}", file, partial(valid_weights, file=file), load_weights, place)
            for file, place in (
                ("model.onnx", f"{FOLDER}/weights"),
                ("preprocessor_config.json", f"{FOLDER}/weights"),
                ("labels.yaml", FOLDER),
            )
        ),
        FileEntrance(
            "parameters",
            "params.yaml",
            lambda _: b"reasoner:\n  seconds: 20.0\n",
            lambda p: overrides_of([p], []),
        ),
        FileEntrance(
            "prices",
            "prices.yaml",
            file_of("openral_reasoner", "openral_reasoner", "llm", "prices.yaml"),
            lambda path: load_prices(str(path), "http://x"),
        ),
        FileEntrance(
            "model answer",
            "call.json",
            lambda _: json.dumps({"query": "red mug", "likely_places": ["counter"]}).encode(),
            _call,
        ),
    )
}
