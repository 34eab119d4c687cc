"""Downloads of pinned files from a server on this machine."""

import hashlib
import socket
from collections.abc import Iterator
from pathlib import Path

import hub_server as hubs
import pytest
from httpx2 import MockTransport, Request, Response

from openral_perception_ros.weights.download import (
    DownloadFailed,
    FileTooLarge,
    PinnedFile,
    UnexpectedContent,
    UnsafeRedirect,
    fetch_pinned,
    mirrored,
    open_session,
)

DATA = bytes(range(256)) * 4096
ADDRESS = f"https://{hubs.REPOSITORY}/resolve/{hubs.COMMIT}/model.bin"


@pytest.fixture
def server() -> Iterator[hubs.Hub]:
    with hubs.serving(hubs.Hub({"model.bin": DATA})) as made:
        yield made


def pinned(data: bytes = DATA, size: int = len(DATA)) -> PinnedFile:
    return PinnedFile(ADDRESS, hashlib.sha256(data).hexdigest(), size)


def fetch(server: hubs.Hub, folder: Path, source: PinnedFile) -> Path:
    target = folder / "model.bin"
    fetch_pinned({target: source}, folder / ".parts", server.url)
    return target


def test_a_pinned_file_arrives_whole_and_is_not_fetched_twice(server: hubs.Hub, tmp_path: Path) -> None:
    assert fetch(server, tmp_path, pinned()).read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["model.bin"]
    server.files.clear()
    fetch(server, tmp_path, pinned())


def test_a_download_that_broke_off_resumes(server: hubs.Hub, tmp_path: Path) -> None:
    server.breaks_after = len(DATA) // 2
    with pytest.raises(DownloadFailed, match="fetch again to resume"):
        fetch(server, tmp_path, pinned())
    assert not (tmp_path / "model.bin").exists()
    server.breaks_after = 0
    assert fetch(server, tmp_path, pinned()).read_bytes() == DATA
    assert server.ranges == [f"bytes={len(DATA) // 2}-"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x" * 10, "10 bytes with sha256"),
        (DATA[:-1], f"{len(DATA) - 1} bytes"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n", "Git LFS pointer"),
        (b"\n<!DOCTYPE html><title>Sign in</title>", "web page, not the file"),
    ],
)
def test_another_content_is_refused_and_removed(
    server: hubs.Hub, tmp_path: Path, content: bytes, reason: str
) -> None:
    server.files["model.bin"] = content
    with pytest.raises(UnexpectedContent, match=reason):
        fetch(server, tmp_path, pinned())
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_larger_than_declared_is_cut_off(server: hubs.Hub, tmp_path: Path) -> None:
    with pytest.raises(FileTooLarge, match="more than 1000 bytes"):
        fetch(server, tmp_path, pinned(size=1000))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_the_server_lacks_is_named(server: hubs.Hub, tmp_path: Path) -> None:
    server.files.clear()
    with pytest.raises(DownloadFailed, match=r"model\.bin could not be fetched: .*404"):
        fetch(server, tmp_path, pinned())


def test_a_dead_server_is_named(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(DownloadFailed, match=f"127.0.0.1:{port}"):
        fetch(hubs.Hub({}, url=f"http://127.0.0.1:{port}"), tmp_path, pinned())


def test_a_redirect_to_an_unencrypted_address_is_refused() -> None:
    def answer(request: Request) -> Response:
        assert request.url.scheme == "https"
        return Response(302, headers={"Location": "http://elsewhere.example/model.bin"})

    with (
        open_session(False, MockTransport(answer)) as session,
        pytest.raises(UnsafeRedirect, match="elsewhere"),
    ):
        session.get("https://host.example/model.bin", follow_redirects=True)


def test_the_mirror_is_that_of_the_option_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENRAL_MIRROR", raising=False)
    assert mirrored("https://host/a") == "https://host/a"
    monkeypatch.setenv("OPENRAL_MIRROR", "http://lab:80")
    assert mirrored("https://host/a") == "http://lab:80/host/a"
    assert mirrored("https://host/a", "https://other/m/") == "https://other/m/host/a"
