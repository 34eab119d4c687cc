"""Lines of growing files are read once, whole, in order."""

from pathlib import Path

from openral_recorder.json_lines import MAX_LINE, JsonLinesFollower


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_a_line_is_read_once_and_only_when_complete(tmp_path: Path) -> None:
    follower = JsonLinesFollower(tmp_path)
    append(tmp_path / "events.jsonl", '{"a": 1}\n{"b"')
    assert list(follower.new_lines()) == [("events", b'{"a": 1}')]
    assert list(follower.new_lines()) == []
    append(tmp_path / "events.jsonl", ": 2}\n")
    assert list(follower.new_lines()) == [("events", b'{"b": 2}')]


def test_a_replaced_file_is_read_from_its_beginning(tmp_path: Path) -> None:
    follower = JsonLinesFollower(tmp_path)
    append(tmp_path / "events.jsonl", '{"a": 1}\n{"a": 2}\n')
    list(follower.new_lines())
    (tmp_path / "events.jsonl").write_text('{"a": 3}\n')
    assert list(follower.new_lines()) == [("events", b'{"a": 3}')]


def test_what_is_no_json_object_is_left_out(tmp_path: Path) -> None:
    append(tmp_path / "events.jsonl", 'text\n[1]\n{"a": 1\n{"a": 1}\n')
    assert list(JsonLinesFollower(tmp_path).new_lines()) == [("events", b'{"a": 1}')]


def test_an_endless_line_is_skipped_and_the_next_one_read(tmp_path: Path) -> None:
    follower = JsonLinesFollower(tmp_path)
    append(tmp_path / "events.jsonl", '{"a": "' + "x" * (2 * MAX_LINE + 10))
    assert list(follower.new_lines()) == []
    append(tmp_path / "events.jsonl", '"}\n{"b": 1}\n')
    assert list(follower.new_lines())[-1:] == [("events", b'{"b": 1}')]


def test_a_folder_that_does_not_exist_yet_has_no_lines(tmp_path: Path) -> None:
    follower = JsonLinesFollower(tmp_path / "later")
    assert list(follower.new_lines()) == []
    (tmp_path / "later").mkdir()
    append(tmp_path / "later" / "spans.jsonl", "{}\n")
    assert list(follower.new_lines()) == [("spans", b"{}")]


def test_a_file_in_a_folder_below_is_named_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "spans").mkdir()
    append(tmp_path / "spans" / "sim.jsonl", "{}\n")
    assert list(JsonLinesFollower(tmp_path).new_lines()) == [("spans/sim", b"{}")]
