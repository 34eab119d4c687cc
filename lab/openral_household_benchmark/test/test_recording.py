"""Tests of recording: contact sheets and the viewer."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from openral_household_benchmark.recording import NoDisplay, Still, contact_sheet, require_display, save_sheet

RED = np.full((24, 32, 3), (200, 0, 0), np.uint8)


def test_grows_by_full_rows() -> None:
    one, seven = contact_sheet([Still(RED, "a")]), contact_sheet([Still(RED, "a")] * 7)
    assert seven.width == 6 * one.width
    assert seven.height == 2 * one.height


def test_shows_every_still(tmp_path: Path) -> None:
    save_sheet([Still(RED, "a")] * 6, tmp_path / "deep" / "sheet.jpg")
    pixels = np.array(Image.open(tmp_path / "deep" / "sheet.jpg").convert("RGB"))
    reddish = (pixels[..., 0] > 150) & (pixels[..., 1] < 60)
    assert reddish.mean() > 6 / 10 * 0.7


def test_of_nothing_is_an_empty_page() -> None:
    assert contact_sheet([]).width > 0


def test_refuses_a_window_where_there_is_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(NoDisplay, match="--view needs a screen"):
        require_display()
