"""Watching where nobody can."""

import pytest

from openral_household_benchmark.recording import NoDisplay, require_display


def test_refuses_a_window_where_there_is_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(NoDisplay, match="--view needs a screen"):
        require_display()
