"""Stated requests as plain values and in words."""

import json
import string
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.request.goals import (
    Act,
    Bring,
    BringSeveral,
    Conditional,
    Find,
    Forbidden,
    GoTo,
    MoveDoor,
    NotUnderstood,
    Request,
    Restricted,
    Sequence,
    Switch,
    WaitFor,
)
from openral_reasoner.request.plain import VERSION, from_plain, to_json, to_plain
from openral_reasoner.request.saying import in_words

NESTED = (Sequence, Conditional, WaitFor, Restricted)
WORDS = st.text(string.ascii_letters + " _", min_size=1, max_size=12)
SIMPLE = st.one_of(
    *(
        st.builds(kind, **({"what": WORDS} if "what" in kind.__dataclass_fields__ else {}))
        for kind in get_args(Request)
        if kind not in NESTED
    )
)
FORBIDDEN = st.builds(Forbidden, st.sampled_from(Act), WORDS)
REQUESTS = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds(Sequence, st.lists(inner, min_size=1, max_size=3).map(tuple), st.booleans()),
        st.builds(Conditional, st.builds(Find, WORDS, WORDS), st.none() | inner, st.none() | inner),
        st.builds(WaitFor, WORDS, inner),
        st.builds(Restricted, inner, st.lists(FORBIDDEN, min_size=1, max_size=2).map(tuple)),
    ),
    max_leaves=4,
)


@given(REQUESTS)
def test_every_request_survives_json_and_has_words(request: Request) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(request)))) == request
    assert in_words(request).strip()


def test_the_published_form_is_versioned_and_leaves_out_what_is_not_said() -> None:
    assert json.loads(to_json(Bring("mug"))) == {"version": VERSION, "kind": "bring", "what": "mug"}
    assert to_json(NotUnderstood("x")) == ""


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("bring", "no request: 'bring'"),
        ({"kind": "juggle"}, "'kind' is one of bring, bring_filled"),
        ({"kind": "bring"}, "bring is not complete"),
        ({"kind": "bring", "what": 3}, "bring has no slot of this type: what"),
        ({"kind": "bring", "what": "mug", "how": "fast"}, "no slot of this type: how"),
        ({"kind": "sequence", "parts": ["mug"]}, "no slot of this type: parts"),
        ({"kind": "restricted", "goal_": 1}, "no slot of this type: goal_"),
    ],
)
def test_what_is_no_request_is_refused_with_what_was_found(content: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        from_plain(content)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            Restricted(BringSeveral("mug", 2), (Forbidden(Act.OPEN, "fridge"),)),
            "bring 2 x mug to you; do not open the fridge",
        ),
        (Bring("mug", "Ana", "table"), "bring the mug from the table to Ana"),
        (
            Sequence((GoTo("kitchen"), MoveDoor("fridge", True)), True),
            "go to the kitchen, then open the fridge",
        ),
        (
            Conditional(Find("milk", "fridge"), Bring("milk")),
            "if milk is there at the fridge, bring the milk",
        ),
        (Switch("lamp", True, "bedroom", every=True), "turn on every lamp at the bedroom"),
        (Restricted(Find("mug"), (Forbidden(Act.TAKE, "glass"),)), "do not take (from) the glass"),
    ],
)
def test_the_operator_reads_what_was_understood(request_: Request, words: str) -> None:
    assert words in in_words(request_)
