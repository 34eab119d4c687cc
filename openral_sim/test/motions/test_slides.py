import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from openral_sim.motions.slides import Slide

DRAWN = st.floats(0.0, 0.6)
TURNS = st.floats(-np.pi, np.pi)


def slide(turn: float) -> Slide:
    T = np.eye(4)
    T[:2, 3] = (2.0, 1.0)
    return Slide("rail", np.array([np.cos(turn), np.sin(turn), 0.0]), T)


@given(turn=TURNS, first=DRAWN, second=DRAWN)
def test_what_is_carried_keeps_its_place_by_the_door(turn: float, first: float, second: float) -> None:
    rail, base = slide(turn), np.array([2.5, 0.2, 0.7])
    there = rail.carried(rail.carried(base, first), second)
    assert np.allclose(
        there[:2] - rail.T_map_door(first + second)[:2, 3], base[:2] - rail.T_map_door(0.0)[:2, 3]
    )
    assert there[2] == base[2]


@given(turn=TURNS, drawn=DRAWN)
def test_the_front_never_turns(turn: float, drawn: float) -> None:
    assert np.allclose(slide(turn).normal(drawn), slide(turn).normal(0.0))


def test_a_base_moves_along_the_rail_at_its_rate() -> None:
    assert np.allclose(slide(np.pi / 2).velocity(np.zeros(3), 0.1), (0.0, 0.1, 0.0))


def test_an_opening_is_told_in_centimetres() -> None:
    assert slide(0.0).words(0.354) == "35 cm"
