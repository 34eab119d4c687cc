"""Curves of a run's evaluations."""

from pathlib import Path

import cv2
import numpy as np

from openral_training.detector.curves import CURVES, draw_curves


def test_every_metric_rises_to_the_right_in_its_colour(tmp_path: Path) -> None:
    history = [dict.fromkeys(CURVES, 0.2 * step) | {"views": 100.0 * step} for step in range(4)]
    for place, name in enumerate(CURVES):
        alone = [{"views": entry["views"], name: entry[name]} for entry in history]
        draw_curves(alone, tmp_path / "curves.png")
        picture = cv2.imread(str(tmp_path / "curves.png"))
        rows, columns = np.nonzero((picture[60:340] == CURVES[name]).all(axis=2))
        assert rows[columns.argmax()] < rows[columns.argmin()], (place, name)


def test_a_run_without_evaluation_has_axes(tmp_path: Path) -> None:
    draw_curves([], tmp_path / "curves.png")
    assert (cv2.imread(str(tmp_path / "curves.png")) < 100).any()
