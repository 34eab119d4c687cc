"""Indirect requests: what is stripped around an imperative, and what must stay."""

import pytest

from openral_reasoner.scripted.normalise import clean
from openral_reasoner.scripted.politeness import bare


@pytest.mark.parametrize(
    "words",
    [
        "Would you mind bringing the mug?",
        "hey robot, could you please bring the mug, dear?",
        "do me a favour and bring the mug will ya",
        "I was wondering if you could bring the mug",
        "be so kind as to bring the mug, thanks a lot",
        "um, oh, bring the mug, if you don't mind",
        "I was hoping you might be able to bring the mug",
        "would it be at all possible for you to bring the mug",
        "I don't suppose you could bring the mug",
        "if it isn't too much hassle, bring the mug",
        "bring the mug when you've got a sec",
        "if you get a moment could you bring the mug",
        "I'd be over the moon if you could bring the mug",
        "make yourself useful and bring the mug",
        "why don't you bring the mug",
        "nip over and bring the mug before it gets dark",
        "bring the mug, that would be great",
        "could you brign the mug".replace("brign", "bring"),
    ],
)
def test_politeness_is_stripped(words: str) -> None:
    assert bare(clean(words)) == "bring the mug"


@pytest.mark.parametrize(
    "words",
    [
        "I don't want you to bring the mug",
        "you don't have to bring the mug",
        "you mustn't bring the mug",
        "I never asked you to bring the mug",
        "I want to bring the mug",
        "no need to bring the mug",
        "bring the mug if you like me",
        "if you bring the mug",
    ],
)
def test_what_is_no_courtesy_stays(words: str) -> None:
    assert bare(words) == words
