from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_sim.skills import registry as verbs
from openral_sim.skills import runner as running
from openral_sim.skills.context import SkillContext
from openral_sim.skills.registry import SERVED
from openral_sim.skills.runner import run


def test_refuses_a_verb_it_does_not_serve_and_lists_those_it_does(
    do: Callable[..., SkillResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verbs, "SERVED", {Verb.LOOK_AT: SERVED[Verb.LOOK_AT]})
    result = do(Verb.POUR)
    assert result.status is SkillStatus.UNSUPPORTED
    assert "it serves 'LOOK_AT'" in result.message


def test_serves_every_verb() -> None:
    assert set(SERVED) == set(Verb)


def test_ends_every_skill_within_its_bound(
    do: Callable[..., SkillResult], context: SkillContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "BOUND", 0.5)
    result = do(Verb.NAVIGATE, goal=Pose.planar(-2.0, 0.5, 0.0))
    assert result.status is SkillStatus.TIMEOUT
    assert np.abs(context.control.base_velocity).max() < 0.05


def test_closing_the_generator_leaves_no_velocity_commanded(
    context: SkillContext, wait: Callable[[int], None]
) -> None:
    skill = run(context, Verb.NAVIGATE, {"goal": Pose.planar(-2.0, 0.5, 0.0)})
    for _ in range(60):
        next(skill)
        wait(1)
    skill.close()
    motors = [context.model.actuator(name).id for name in context.names.base_joints]
    assert np.array_equal(context.data.ctrl[motors], np.zeros(3))


def test_the_same_seed_gives_the_same_run(
    do: Callable[..., SkillResult], new_context: Callable[[int], SkillContext]
) -> None:
    robots = [new_context(3), new_context(3)]
    for robot in robots:
        can = Pose((1.79, -0.11, 0.80))
        assert do(Verb.GRASP, by=robot, target=can, label="can", size_z=0.11).success
    assert np.array_equal(robots[0].data.qpos, robots[1].data.qpos)
