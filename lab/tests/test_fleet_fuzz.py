"""A short fuzz of the dispatcher of errands, and of the files that it reads."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from fuzzing.documents import FileEntrance
from fuzzing.rig import Rig
from fuzzing.rigs import RIGS, rig_of
from fuzzing.short import fuzz_file, fuzz_node, fuzz_structure
from fuzzing.structures import unfolding
from rclpy.node import Node
from std_msgs.msg import Header

from openral_fleet.errands import read_errands
from openral_fleet.records import FleetState
from openral_fleet.ros.journal import JOURNAL_FILE, FleetJournal
from openral_fleet.ros.node import FleetNode
from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_reasoner_ros.journal import MissionClock
from openral_ros.qos import RECEIPTS, RELIABLE

ERRANDS = Path(__file__).parents[1] / "examples" / "errands.yaml"
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("fuzz")]


class FleetRig(Rig):
    """The dispatcher with a robot that is there but takes no prompt; the operator drops an unknown errand."""

    name = "fleet"

    def make(self) -> Node:
        self.receipts: list[PromptReceipt] = []
        self.stranger.create_subscription(
            PromptReceipt, "openral/prompt_receipt", self.receipts.append, RECEIPTS
        )
        self._prompts = self.stranger.create_publisher(PromptStamped, "openral/prompt", RELIABLE)
        values = {"errands": str(ERRANDS), "robots": ["r1"]}
        journal = str(self.folder / "journal")
        return FleetNode(context=self.context, parameter_overrides=self.parameters(**values, journal=journal))

    def ask(self) -> None:
        """Have a prompt refused that is neither a stop nor an answer."""
        before = len(self.receipts)

        def refused() -> bool:
            self._prompts.publish(PromptStamped(header=Header(frame_id="operator"), id="x", text="sing"))
            new = self.receipts[before:]
            return any(each.outcome == PromptReceipt.OUTCOME_REFUSED for each in new)

        self.until(refused)


@pytest.fixture
def fleet(monkeypatch: pytest.MonkeyPatch, ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    monkeypatch.chdir(tmp_path)  # a relative path is written below it
    monkeypatch.setitem(RIGS, "fleet", FleetRig)
    with rig_of("fleet", tmp_path, ros_domain) as made:
        yield made


@pytest.mark.usefixtures("callback_errors")
def test_the_dispatcher_lives_and_answers_whatever_comes_in(fleet: Rig) -> None:
    fuzz_node(fleet, lambda session: None)


def write_journal(folder: Path) -> bytes:
    errands = read_errands(ERRANDS).errands
    FleetJournal(folder, MissionClock(), str).write(FleetState.of("run", errands, 1.0))
    return (folder / JOURNAL_FILE).read_bytes()


def read_journal(path: Path) -> object:
    errands = read_errands(ERRANDS).errands
    return FleetJournal(path.parent, MissionClock(), str).begin(errands)


FILES: Mapping[str, FileEntrance] = {
    entrance.name: entrance
    for entrance in (
        FileEntrance("errands", "errands.yaml", lambda folder: ERRANDS.read_bytes(), read_errands),
        FileEntrance("fleet journal", "fleet.journal", write_journal, read_journal),
    )
}


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    fuzz_file(FILES[name], tmp_path)


def test_errands_of_hostile_structure_are_read_or_refused_in_time(tmp_path: Path) -> None:
    entrance = FILES["errands"]
    valid = entrance.prepare(tmp_path)
    fuzz_structure(entrance, unfolding(valid, "yaml"), tmp_path)
