"""Nouns of a small database in WordNet's format."""

from pathlib import Path

import pytest
from household_nouns import WordNet, kind_of

INDEX = """\
  1 a licence, which is skipped
mug n 1 1 @ 1 0 00000003
mug_shot n 1 1 @ 1 0 00000009
"""
DATA = """\
  1 a licence, which is skipped
00000001 06 n 01 artefact 0 000 | anything made
00000002 06 n 01 vessel 0 001 @ 00000001 n 0000 | holds liquids
00000003 06 n 02 mug 0 beaker 0 002 @ 00000002 n 0000 ~ 00000009 n 0000 | with a handle
00000009 10 n 01 mug_shot 0 000 | a picture
"""


@pytest.fixture
def wordnet(tmp_path: Path) -> WordNet:
    (tmp_path / "index.noun").write_text(INDEX)
    (tmp_path / "data.noun").write_text(DATA)
    return WordNet.read(tmp_path)


def test_reads_senses_files_and_hypernyms(wordnet: WordNet) -> None:
    assert wordnet.senses == {"mug": ("00000003",), "mug_shot": ("00000009",)}
    assert wordnet.files["00000009"] == "10"
    assert wordnet.above["00000003"] == ("00000002",)


@pytest.mark.parametrize(
    ("anchors", "kind"),
    [
        ({"00000003": "drinkware"}, "drinkware"),
        ({"00000002": "container", "00000001": "thing"}, "container"),
        ({"00000001": "thing"}, "thing"),
        ({"00000009": "decoration"}, ""),
    ],
)
def test_the_nearest_anchor_above_gives_the_kind(
    wordnet: WordNet, anchors: dict[str, str], kind: str
) -> None:
    assert kind_of("00000003", anchors, wordnet.above) == kind
