import pytest

from openral_core import skill_errors as errors
from openral_core.skill_errors import NothingHeld, OutsideEnvelope, SkillFailed, TookTooLong, UnservedVerb
from openral_core.skills import SkillStatus, Verb


def test_every_failure_reports_a_status_of_its_own_kind() -> None:
    leaves = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, SkillFailed) and kind is not SkillFailed
    ]
    by_status = {kind.status for kind in leaves if kind is not OutsideEnvelope}
    assert len(by_status) == len(leaves) - 1
    assert SkillStatus.SUCCEEDED not in by_status


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (NothingHeld(Verb.PLACE), "PLACE needs an object in the hand, but the hand is empty"),
        (UnservedVerb(Verb.POUR, [Verb.GRASP]), "this robot does not serve POUR; it serves 'GRASP'"),
        (OutsideEnvelope(Verb.GRASP, ["a", "b"]), "GRASP would leave the motion envelope: a; b"),
        (TookTooLong("the skill", 2.0), "the skill did not finish within 2.0 s"),
    ],
)
def test_messages_name_the_cause(error: SkillFailed, message: str) -> None:
    assert str(error) == message
