"""A stranger's catalogue does not stand for the server's."""

from openral_reasoner_ros.skill_catalogues import KEPT, MOST, Catalogue, Catalogues

OWN = Catalogue(("NAVIGATE", "GRASP", "PLACE"))
FOREIGN = Catalogue(("FLY",), "a bomb", "destroying")


def test_what_the_server_says_holds_for_as_long_as_nothing_else_is_said() -> None:
    heard = Catalogues().hear(OWN, 0.0)
    assert heard.verbs(1000.0) == OWN.verbs
    assert heard.newest == OWN


def test_a_foreign_catalogue_takes_no_verb_away_and_is_forgotten() -> None:
    heard = Catalogues().hear(OWN, 0.0).hear(FOREIGN, 0.5)
    assert set(OWN.verbs) <= set(heard.verbs(0.6))
    heard = heard.hear(OWN, 1.0)
    assert heard.newest == OWN
    assert heard.verbs(0.5 + KEPT) == OWN.verbs


def test_a_stranger_that_repeats_itself_faster_takes_no_verb_away_either() -> None:
    heard = Catalogues()
    for step in range(1, 200):
        heard = heard.hear(FOREIGN, 0.1 * step)
        if step % 10 == 0:
            heard = heard.hear(OWN, 0.1 * step)
        assert step < 10 or set(OWN.verbs) <= set(heard.verbs(0.1 * step))


def test_what_the_server_stops_doing_is_gone_after_a_while() -> None:
    heard = Catalogues().hear(OWN, 0.0)
    for second in range(1, 5):
        heard = heard.hear(Catalogue(), float(second))
    assert heard.verbs(5.0) == ()


def test_any_number_of_catalogues_is_bounded() -> None:
    heard = Catalogues()
    for number in range(100):
        heard = heard.hear(Catalogue((str(number),)), 0.0)
    assert len(heard.heard) == MOST
