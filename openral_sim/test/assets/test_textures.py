from openral_sim.assets.textures import banded_label


def test_a_label_shows_its_word() -> None:
    plain, printed = (banded_label(text, (1, 1, 1), (0, 0, 1), (1, 0, 0)) for text in ("", "MILK"))
    assert (plain != printed).any()
