"""Questions to a robot whose camera is a folder of photographs: no depth, nothing that moves."""

from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("openral_training")
from graph.photographs import photo_robot

from openral_msgs.msg import MissionStatus

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]

PLANT, CAT = "000000000030.jpg", "000000416256.jpg"
"""Photographs of a potted plant in a vase, and of a cat between two keyboards."""
ANSWERS = {
    CAT: {"is there a cat": "I see cat (camera", "do you see a vase in the image": "I see no vase."},
    PLANT: {
        "what do you see": "In view: ",
        "do you see a vase": "I see vase (",
        "how many vases": "I see 1 x vase: ",
        "where is the vase": "I see vase (camera, middle",
        "how many dogs are there": "I see no dog.",
    },
}


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.usefixtures("ros_domain")
def test_questions_about_photographs_are_answered(real_data: Path) -> None:
    with photo_robot(ANSWERS, real_data) as robot:
        for name, answers in ANSWERS.items():
            robot.show(name)
            for question, words in answers.items():
                status = robot.ask(question)
                assert status.state == MissionStatus.STATE_SUCCEEDED, status.reason
                assert words in status.reason
        status = robot.ask("bring me the vase")
        assert status.state == MissionStatus.STATE_HANDED_OVER
        assert "can't place it in my map" in status.reason
