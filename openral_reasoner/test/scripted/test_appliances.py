"""Goals about lamps and screens, from the words to the calls."""

import pytest

from openral_reasoner.palette.entries import ControlEntry
from openral_reasoner.request.control_names import controls_named, controls_of
from openral_reasoner.request.goals import Press, Sequence, Switch
from openral_reasoner.sentences import read_sentence

LAMP = ControlEntry(
    id="lamp_switch", label="floor lamp switch", kind="switch", controls="lamp", appliance="floor lamp",
    aliases=("lamp", "light"), room="living_room",
)  # fmt: skip
BEDROOM = ControlEntry(
    id="bedroom_lamp_switch", label="bedroom lamp switch", kind="switch", controls="bedroom_lamp",
    appliance="bedroom lamp", aliases=("lamp", "light"), room="bedroom",
)  # fmt: skip
TV = ControlEntry(
    id="tv_button", label="TV button", kind="button", controls="tv", appliance="TV", aliases=("television",),
    room="living_room",
)  # fmt: skip
ALL = (LAMP, BEDROOM, TV)


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        ("turn on the lamp", Switch("lamp", on=True)),
        ("could you please switch off the TV?", Switch("TV", on=False)),
        ("turn off all the lights in the living room", Switch("light", False, "living room", every=True)),
        ("turn off the tv in the bedroom", Switch("tv", on=False, where="bedroom")),
        ("press the tv button", Press("tv button")),
        ("turn on the lamp and the tv", Sequence((Switch("lamp", on=True), Switch("tv", on=True)))),
        ("schalte die Lampe ein", Switch("lamp", on=True)),
        ("drück den Knopf", Press("button")),
        ("éteins la télé", Switch("television", on=False)),
        ("appuie sur le bouton", Press("button")),
        ("enciende la lámpara", Switch("lamp", on=True)),
        ("pulsa el botón", Press("button")),
    ],
)
def test_words_are_read(words: str, goal: object) -> None:
    assert read_sentence(words) == goal


@pytest.mark.parametrize(
    ("words", "controls"),
    [
        ("floor lamp", (LAMP,)),
        ("the lamp", (LAMP, BEDROOM)),
        ("light", (LAMP, BEDROOM)),
        ("tv", (TV,)),
        ("television", (TV,)),
        ("TV button", (TV,)),
        ("button", (TV,)),
        ("switch", (LAMP, BEDROOM)),
        ("heater", ()),
    ],
)
def test_a_name_means_the_controls_it_fits_best(words: str, controls: tuple[ControlEntry, ...]) -> None:
    assert controls_named(ALL, words) == controls


def test_a_room_leaves_its_own_controls() -> None:
    assert controls_of(ALL, Switch("light", on=False, where="living room", every=True)) == (LAMP,)
    assert controls_of(ALL, Switch("light", on=False, where="wherever"), "bedroom") == (BEDROOM,)
