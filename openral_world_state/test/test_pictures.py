"""Pictures of objects: the best view stays, the whole is bounded, what is removed is gone from the disk."""

from pathlib import Path

import pytest

from openral_world_state.pictures import (
    BETTER,
    UNLIMITED,
    ObjectPictures,
    Picture,
    PictureLimits,
    PicturesNotWritten,
    pictures_path,
)


def picture(quality: float = 1.0, stamp: float = 0.0, jpeg: bytes = b"jpeg") -> Picture:
    return Picture(jpeg, quality, stamp)


def test_only_a_clearly_better_view_replaces_a_picture() -> None:
    pictures = ObjectPictures(None, UNLIMITED)
    assert pictures.wants("mug_1", 0.1)
    assert not pictures.wants("mug_1", 0.0)
    pictures.put("mug_1", picture(100.0))
    assert not pictures.wants("mug_1", 100.0 * BETTER)
    assert pictures.wants("mug_1", 101.0 * BETTER)


@pytest.mark.parametrize("limits", [PictureLimits(2, 1000), PictureLimits(100, 20)])
def test_beyond_the_limits_the_oldest_picture_is_dropped(limits: PictureLimits) -> None:
    pictures = ObjectPictures(None, limits)
    for name in ("a", "b", "a", "c"):
        pictures.put(name, picture(jpeg=b"ten  bytes"))
    assert list(pictures) == ["a", "c"]


def test_pictures_outlive_the_process(tmp_path: Path) -> None:
    path = tmp_path / "home.pictures.db"
    pictures = ObjectPictures(path, UNLIMITED)
    pictures.put("mug/1 ü", picture(2.0, 5.0, b"\xff\xd8 view"))
    pictures.write()
    assert ObjectPictures(path, UNLIMITED).get("mug/1 ü") == Picture(b"\xff\xd8 view", 2.0, 5.0)


def test_a_removed_picture_is_overwritten_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "home.pictures.db"
    pictures = ObjectPictures(path, UNLIMITED)
    pictures.put("letter", picture(jpeg=b"a private letter" * 400))
    pictures.put("mug", picture(jpeg=b"a mug"))
    pictures.write()
    assert b"a private letter" in path.read_bytes()
    pictures.keep_only(lambda name: name == "mug")
    pictures.write()
    left = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"a private letter" not in left
    assert b"a mug" in left
    assert list(ObjectPictures(path, UNLIMITED)) == ["mug"]


def test_switching_pictures_off_removes_them(tmp_path: Path) -> None:
    path = tmp_path / "home.pictures.db"
    pictures = ObjectPictures(path, UNLIMITED)
    pictures.put("mug", picture(jpeg=b"a mug" * 100))
    pictures.write()
    ObjectPictures(path, PictureLimits(0, 0)).write()
    assert b"a mug" not in path.read_bytes()


def test_a_file_that_cannot_be_written_is_told_and_written_later(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "home.pictures.db"
    pictures = ObjectPictures(path, UNLIMITED)
    pictures.put("mug", picture())
    pictures.write()
    assert isinstance(pictures.error, PicturesNotWritten)
    assert pictures.get("mug") == picture()
    path.parent.mkdir()
    pictures.write()
    assert pictures.error is None
    assert list(ObjectPictures(path, UNLIMITED)) == ["mug"]


def test_a_full_disk_is_told_and_no_written_picture_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "home.pictures.db"
    pictures = ObjectPictures(path, UNLIMITED)
    pictures.put("mug", picture())
    pictures.write()
    schema = "openral_world_state.pictures._SCHEMA"
    monkeypatch.setattr(schema, "PRAGMA max_page_count = 3;")
    pictures.put("bowl", picture(jpeg=b"x" * 50_000))
    pictures.write()
    assert "full" in str(pictures.error)
    monkeypatch.undo()
    assert list(ObjectPictures(path, UNLIMITED)) == ["mug"]
    pictures.write()
    assert set(ObjectPictures(path, UNLIMITED)) == {"mug", "bowl"}


def test_a_file_of_another_kind_is_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "home.pictures.db"
    path.write_bytes(b"a poem " * 300)
    pictures = ObjectPictures(path, UNLIMITED)
    pictures.put("mug", picture())
    pictures.write()
    assert isinstance(pictures.error, PicturesNotWritten)
    assert path.read_bytes() == b"a poem " * 300


def test_listeners_hear_of_new_and_removed_pictures() -> None:
    heard: list[tuple[str, bool]] = []
    pictures = ObjectPictures(None, PictureLimits(1, 1000))
    pictures.on_change(lambda name, found: heard.append((name, found is not None)))
    pictures.put("a", picture())
    pictures.put("b", picture())
    assert heard == [("a", True), ("b", True), ("a", False)]


def test_the_file_stands_beside_that_of_memory() -> None:
    assert pictures_path(Path("/x/home.db")) == Path("/x/home.pictures.db")
    assert pictures_path(None) is None
