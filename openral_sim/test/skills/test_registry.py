from collections.abc import Callable

import pytest

from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_sim.skills import registry
from openral_sim.skills.registry import SKILLS


def test_refuses_a_verb_it_does_not_serve_and_lists_those_it_does(
    do: Callable[..., SkillResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "SKILLS", {Verb.LOOK_AT: SKILLS[Verb.LOOK_AT]})
    result = do(Verb.POUR)
    assert result.status is SkillStatus.UNSUPPORTED
    assert "it serves 'LOOK_AT'" in result.message


def test_serves_every_verb() -> None:
    assert set(SKILLS) == set(Verb)
