"""Many pictures as one."""

from pathlib import Path

import numpy as np
from PIL import Image

from openral_bringup.households.contact_sheets import Still, contact_sheet, save_sheet

RED = np.full((24, 32, 3), (200, 0, 0), np.uint8)


def test_grows_by_rows_of_five() -> None:
    one, six = contact_sheet([Still(RED, "a")]), contact_sheet([Still(RED, "a")] * 6)
    assert six.width == 5 * one.width
    assert six.height == 2 * one.height


def test_shows_every_still(tmp_path: Path) -> None:
    save_sheet([Still(RED, "a")] * 6, tmp_path / "deep" / "sheet.png")
    pixels = np.array(Image.open(tmp_path / "deep" / "sheet.png").convert("RGB"))
    reddish = (pixels[..., 0] > 150) & (pixels[..., 1] < 60)
    assert reddish.mean() > 6 / 10 * 0.7


def test_of_nothing_is_an_empty_page() -> None:
    assert contact_sheet([]).width > 0
