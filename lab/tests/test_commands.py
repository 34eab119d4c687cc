"""Commands of the laboratory do not change by accident; `goldens.interfaces` records intended changes."""

import json

import pytest

pytest.importorskip("openral_msgs")
from goldens.interfaces import KEPT_OF_LAB, commands_of_openral, difference


def test_the_commands_of_the_laboratory_are_as_recorded() -> None:
    recorded = json.loads(KEPT_OF_LAB.read_text(encoding="utf-8"))
    different = difference(recorded, json.loads(json.dumps(commands_of_openral(lab=True))))
    assert not different, different
    groups = {name.split()[1] for name in recorded}
    assert groups == {"bench", "eval", "eval-page", "fleet", "model-server"}
