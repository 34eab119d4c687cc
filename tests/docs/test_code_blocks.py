"""Every code block of the documents is run.

Words behind the language tell how: ``exit=3`` is the status to expect, ``graph`` needs a running graph,
``stock`` the ``ros2`` command; ``forever`` ends only when it is interrupted; ``nested`` would run this
very test and is only resolved by make; ``then`` follows the block before in the same test. ``console`` blocks
show output.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
from graph.deployments import ROOT, Deployment, until

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(?P<language>\w+)(?P<words>[^\n]*)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
SHOWN = ("console", "mermaid", "text", "json", "yaml")
pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]


@dataclass(frozen=True)
class Block:
    """One block with the words behind its language."""

    document: Path
    language: str
    words: tuple[str, ...]
    code: str

    @property
    def exit_code(self) -> int:
        return next((int(word.removeprefix("exit=")) for word in self.words if word.startswith("exit=")), 0)

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}: {self.code.strip().splitlines()[-1][:60]}"


BLOCKS = [
    Block(document, found["language"], tuple(found["words"].split()), found["code"])
    for document in DOCUMENTS
    for found in BLOCK.finditer(document.read_text())
    if found["language"] not in SHOWN
]


WITH_GRAPH = [block for block in BLOCKS if "graph" in block.words]
FIRST = [index for index, block in enumerate(BLOCKS) if "then" not in block.words]
FOLLOWED = [BLOCKS[start:end] for start, end in pairwise([*FIRST, len(BLOCKS)])]
ALONE = [
    pytest.param(blocks, id=str(blocks[0]), marks=[pytest.mark.slow] if "slow" in blocks[0].words else [])
    for blocks in FOLLOWED
    if blocks[0] not in WITH_GRAPH
]


@pytest.mark.parametrize("blocks", ALONE)
def test_the_block_runs(blocks: list[Block], ros_domain: int, tmp_path: Path) -> None:
    skip_without_ros2(*blocks)
    for block in blocks:
        run(block, tmp_path)


@pytest.mark.parametrize("stock", [False, True], ids=["without ros2", "with ros2"])
def test_the_blocks_beside_a_running_graph_run(stock: bool, ros_domain: int, tmp_path: Path) -> None:
    blocks = [block for block in WITH_GRAPH if ("stock" in block.words) == stock]
    assert blocks
    skip_without_ros2(*blocks)
    with Deployment(tmp_path / "graph", "--detectors", "embedded") as deployment:
        for line in ("added to memory: mug", "/reasoner is active"):
            deployment.wait_until_printed(line, 150.0)
        for block in blocks:
            run(block, tmp_path)


def skip_without_ros2(*blocks: Block) -> None:
    if any("stock" in block.words for block in blocks) and shutil.which("ros2") is None:
        pytest.skip("the ros2 command is not installed")


def run(block: Block, folder: Path) -> None:
    code = block.code.replace("make test", "make --dry-run test") if "nested" in block.words else block.code
    command = [sys.executable, "-c", code] if block.language == "python" else ["sh", "-ec", code]
    output = folder / "block.txt"
    with output.open("w") as out:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
        )
    try:
        if "forever" in block.words:
            until(lambda: "activate /reasoner" in output.read_text(), 120.0, output.read_text)
            os.killpg(process.pid, signal.SIGINT)
        code_of_end = process.wait(timeout=300)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    interrupted = (0, 130, -signal.SIGINT) if "forever" in block.words else ()
    assert code_of_end in (block.exit_code, *interrupted), output.read_text()
