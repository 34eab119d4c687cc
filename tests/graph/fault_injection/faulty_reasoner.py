"""The reasoner node on a machine whose power can be cut: its boot id and what is on its disk can be lost."""

import os
from pathlib import Path
from unittest import mock
from uuid import uuid4

from graph.fault_injection.switches import Switches, inherited

from openral_reasoner_ros import journal
from openral_reasoner_ros.node import main as run_reasoner

BOOT, SYNCED = "boot_id", "synced"


def lose_power(switches: Switches, file: Path) -> None:
    """Drop what a journal had not synced, and begin another run of the machine; the node must be dead."""
    (switches.folder / BOOT).write_text(uuid4().hex)
    synced = switches.folder / SYNCED
    if synced.is_file() and file.is_file():
        inode, size = map(int, synced.read_text().split())
        if file.stat().st_ino == inode:
            os.truncate(file, size)


def _sync_and_note(descriptor: int) -> None:
    _sync(descriptor)
    status = os.fstat(descriptor)
    (inherited().folder / SYNCED).write_text(f"{status.st_ino} {status.st_size}")


_sync = os.fsync


def main() -> None:
    journal.BOOT_ID = inherited().folder / BOOT
    with mock.patch.object(os, "fsync", _sync_and_note):
        run_reasoner()
