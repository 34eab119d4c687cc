"""Errors of memory files: the type of each condition, and the advice in its message."""

import sqlite3
from pathlib import Path

import pytest

from openral_world_state.spatial_memory.errors import (
    MemoryInUse,
    MemoryNotWritten,
    MemoryRefused,
    MemoryUnavailable,
    NewerMemory,
    UnreadableMemory,
    reading,
    translate_sqlite_error,
)

PATH = Path("home/memory.db")


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("as reported")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "condition"),
    [
        (sqlite3.SQLITE_BUSY, MemoryInUse),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, MemoryInUse),
        (sqlite3.SQLITE_FULL, MemoryUnavailable),
        (sqlite3.SQLITE_IOERR_WRITE, MemoryUnavailable),
        (sqlite3.SQLITE_CANTOPEN, MemoryUnavailable),
        (sqlite3.SQLITE_NOTADB, UnreadableMemory),
        (sqlite3.SQLITE_CORRUPT, UnreadableMemory),
    ],
)
def test_an_error_of_sqlite_becomes_the_condition_it_reports(code: int, condition: type) -> None:
    error = translate_sqlite_error(PATH, sqlite_error(code))
    assert type(error) is condition
    assert str(PATH) in str(error)


def test_an_error_without_a_code_means_an_unreadable_file() -> None:
    assert isinstance(translate_sqlite_error(PATH, sqlite3.Error("odd")), UnreadableMemory)


@pytest.mark.parametrize("error", [ValueError("bad value"), KeyError("pose"), OverflowError("too large")])
def test_a_malformed_value_becomes_an_unreadable_file_with_its_cause(error: Exception) -> None:
    with pytest.raises(UnreadableMemory, match=type(error).__name__) as refused, reading(PATH):
        raise error
    assert refused.value.__cause__ is error


def test_a_refusal_passes_unchanged() -> None:
    newer = NewerMemory(PATH, 9, 4)
    with pytest.raises(MemoryRefused) as refused, reading(PATH):
        raise newer
    assert refused.value is newer


def test_a_defect_is_not_hidden_as_an_unreadable_file() -> None:
    with pytest.raises(ZeroDivisionError), reading(PATH):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NewerMemory(PATH, 9, 4), "schema 9, but this version reads at most 4"),
        (MemoryInUse(PATH), "stop that process first"),
        pytest.param(
            MemoryUnavailable(PATH, "disk I/O error"), f"folder {PATH.absolute().parent} exists", id="folder"
        ),
        (MemoryNotWritten(None, OSError("full")), "memory file :memory: (full)"),
    ],
)
def test_each_message_names_the_cause_and_the_next_step(error: Exception, words: str) -> None:
    assert words in str(error)
