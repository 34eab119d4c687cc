"""A stranger's catalogue does not stand for the server's."""

from openral_reasoner_ros.catalogues import CATALOGUE_EXPIRY, MAX_CATALOGUES, Catalogue, Catalogues

OWN = Catalogue(("NAVIGATE", "GRASP", "PLACE"))
FOREIGN = Catalogue(("FLY",), "a bomb", "destroying")


def test_what_the_server_says_holds_for_as_long_as_nothing_else_is_said() -> None:
    received = Catalogues().with_received(OWN, 0.0)
    assert received.verbs(1000.0) == OWN.verbs
    assert received.newest == OWN


def test_a_foreign_catalogue_takes_no_verb_away_and_is_forgotten() -> None:
    received = Catalogues().with_received(OWN, 0.0).with_received(FOREIGN, 0.5)
    assert set(OWN.verbs) <= set(received.verbs(0.6))
    received = received.with_received(OWN, 1.0)
    assert received.newest == OWN
    assert received.verbs(0.5 + CATALOGUE_EXPIRY) == OWN.verbs


def test_a_stranger_that_repeats_itself_faster_takes_no_verb_away_either() -> None:
    received = Catalogues()
    for step in range(1, 200):
        received = received.with_received(FOREIGN, 0.1 * step)
        if step % 10 == 0:
            received = received.with_received(OWN, 0.1 * step)
        assert step < 10 or set(OWN.verbs) <= set(received.verbs(0.1 * step))


def test_what_the_server_stops_doing_is_gone_after_a_while() -> None:
    received = Catalogues().with_received(OWN, 0.0)
    for second in range(1, 5):
        received = received.with_received(Catalogue(), float(second))
    assert received.verbs(5.0) == ()


def test_any_number_of_catalogues_is_bounded() -> None:
    received = Catalogues()
    for number in range(100):
        received = received.with_received(Catalogue((str(number),)), 0.0)
    assert len(received.received) == MAX_CATALOGUES


def test_the_session_of_a_server_that_was_replaced_is_forgotten() -> None:
    received = Catalogues().with_received(Catalogue(session="old"), 0.0)
    received = received.with_received(Catalogue(session="new"), 1.0)
    assert received.sessions(1.0) == {"old", "new"}
    assert received.sessions(CATALOGUE_EXPIRY) == {"new"}
