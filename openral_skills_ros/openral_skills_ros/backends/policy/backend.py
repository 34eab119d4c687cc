"""Any verb by a policy on a remote server: contract, envelope and check of a policy rSkill."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_core.geometry import StaleTransform, UnknownFrame
from openral_core.policies import PolicyBackend, Workspace, mismatches, parameters_in
from openral_core.robot import RobotDescription
from openral_core.rskills import PolicyManifest, Registry, Verb
from openral_core.skill_errors import BadRequest, Blocked, SkillFailed
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_ros.conversions.stamps import seconds
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import TransformBuffer
from openral_ros.worker_thread import ExecutorQueue
from openral_skills_ros.backends.backend import Pauses, Run
from openral_skills_ros.backends.policy.actions import Envelope
from openral_skills_ros.backends.policy.client import Message, Session
from openral_skills_ros.backends.policy.controllers import Controllers
from openral_skills_ros.backends.policy.motion import MovedJoints, PolicyMotion, Tally
from openral_skills_ros.backends.policy.observation import JointStates, ObservationReader
from openral_skills_ros.backends.policy.verification import VerificationResult, Verifier
from openral_skills_ros.foreign_actions.client import halt_switch_of

INPUT_TIMEOUT = 5.0
"""Longest wait for the first images of a goal [s]; a subscription needs a second on a loaded network."""
REST_TIMEOUT = 2.0
"""Longest wait for joints to stand still after they were told to hold [s]."""


class UnsuitablePolicy(OpenRALError):
    """A policy that does not fit the robot or the verb that uses it."""

    def __init__(self, verb: Verb, rskill: str, problems: list[str]) -> None:
        super().__init__(f"skills.{verb}: policy {rskill!r} does not fit: {'; '.join(problems)}")


def policy_for(
    verb: Verb, options: PolicyBackend, robot: RobotDescription, registry: Registry
) -> PolicyManifest:
    """Return the policy of a verb.

    Raises:
        UnknownId: If there is none with that id.
        UnsuitablePolicy: If it does not fit; lists every problem with what would be valid.
    """
    policy = registry.policy(options.rskill)
    parameters = {each.name for skill in registry.skills if skill.verb is verb for each in skill.parameters}
    problems = list(mismatches(policy, options, robot.cameras, parameters))
    if policy.verb is not verb:
        problems.insert(0, f"its verb is {policy.verb}")
    if problems:
        raise UnsuitablePolicy(verb, policy.id, problems)
    return policy


class LeftWorkspace(Blocked):
    """A tip that is outside its workspace, or whose place is unknown."""

    def __init__(self, workspace: Workspace, problem: str) -> None:
        super().__init__(f"{workspace.tip} must stay in its workspace in {workspace.frame}: {problem}")


class WorkspaceGuard:
    """Measures by tf that the tip is in its workspace."""

    def __init__(
        self, node: Node, workspace: Workspace | None, transforms: TransformBuffer, max_age: float
    ) -> None:
        self._node, self._workspace, self._transforms = node, workspace, transforms
        self._max_age = max_age

    def check(self) -> None:
        """Return if the tip is inside, or no workspace is given.

        Raises:
            LeftWorkspace: If it is not.
        """
        box = self._workspace
        if box is None:
            return
        try:
            age = seconds(self._node.get_clock().now().to_msg()) - self._transforms.newest(box.frame, box.tip)
            tip = self._transforms.lookup_newest(box.frame, box.tip)[:3, 3]
        except (UnknownFrame, StaleTransform) as error:
            raise LeftWorkspace(box, str(error)) from error
        if age > self._max_age:
            raise LeftWorkspace(box, f"its newest transform is {age:.1f} s old")
        if (tip < np.array(box.low)).any() or (tip > np.array(box.high)).any():
            where = ", ".join(f"{value:.2f}" for value in tip)
            raise LeftWorkspace(box, f"it is at ({where}), not within {list(box.low)} to {list(box.high)}")


@dataclass
class PolicyHand:
    """Label of the object that verified policies have taken, "" for none; shared by a robot's policies."""

    held: str = ""

    def after(self, verb: Verb, params: Mapping[str, ParamValue]) -> None:
        """Note a goal that was verified."""
        if verb is Verb.GRASP:
            self.held = str(params.get("label", "object"))
        elif verb in (Verb.PLACE, Verb.HANDOVER):
            self.held = ""


class RemotePolicyBackend:
    """Carries out one verb by a policy."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        robot: RobotDescription,
        options: PolicyBackend,
        policy: PolicyManifest,
        transforms: TransformBuffer,
        hand: PolicyHand,
    ) -> None:
        self._scope, self._node, self._options, self._policy = scope, node, options, policy
        self._hand = hand
        self._cameras = robot.cameras
        self._events, self._pauses = ExecutorQueue(scope), Pauses(scope)
        self._joints = JointStates(scope)
        guard = WorkspaceGuard(node, options.workspace, transforms, policy.max_age)
        joints, period = policy.action.joints, 1.0 / policy.rate
        self._controllers = Controllers(scope, options.controllers, period)
        envelope = Envelope(joints, options.limits, period)
        self._body = MovedJoints(joints, envelope, self._joints, self._controllers, guard.check)
        self._verifier = Verifier(scope, node, policy.verify, self._joints, self._pauses)
        self._motion: PolicyMotion | None = None
        scope.callback(self._abort, "the skill server was cleaned up")
        switch = halt_switch_of(node)
        switch.motions.append(self._abort)
        scope.callback(switch.motions.remove, self._abort)

    @property
    def unavailable(self) -> str:
        """Reason why no goal can be carried out now; the policy's server is asked with a goal."""
        missing = self._joints.missing(self._body.joints)
        return self._controllers.unavailable or (f"joint_states lacks {missing}" if missing else "")

    async def execute(self, run: Run) -> SkillResult:
        """Move as the policy says, then check the result."""
        texts = self._texts(run.params)
        scope = ResourceScope(self._node)
        try:
            reader = ObservationReader(scope, self._policy, self._cameras, self._joints, texts)
            run.report("waiting for images and joint states", 0.0)
            await self._pauses.until(lambda: run.stopping() or not reader.stale, INPUT_TIMEOUT)
            run.check()
            reader.read()
            tally = await self._moved(scope, reader, run)
        finally:
            scope.close()
        run.report("checking the result", 1.0)
        verdict = await self._verifier.verify(texts, run)
        if verdict.reached:
            self._hand.after(self._policy.verb, run.params)
        return self._result(verdict, tally)

    async def _moved(self, scope: ResourceScope, reader: ObservationReader, run: Run) -> Tally:
        """Carry out the motion; returns when the robot stands still."""
        motion = PolicyMotion(self._policy, self._body, reader, run, self._options.watchdog)
        self._motion = motion

        def on_event(event: Message | SkillFailed) -> None:
            self._events.post(partial(motion.on_event, event))

        session = Session(self._options.server, self._policy, on_event)
        motion.ask = session.ask
        scope.timer(1.0 / self._policy.rate, motion.tick)
        try:
            failure: SkillFailed | None = await motion.ended
        finally:
            self._motion = None
            session.end()
        await self._pauses.until(lambda: self._joints.at_rest(self._body.joints), REST_TIMEOUT)
        if failure is not None:
            raise failure
        return motion.tally

    def _texts(self, params: Mapping[str, ParamValue]) -> dict[str, str]:
        texts = {name: str(value) for name, value in params.items() if isinstance(value, str | int | float)}
        needed = {name for template in self._policy.templates for name in parameters_in(template)}
        missing = sorted(needed - texts.keys())
        if missing:
            raise BadRequest(f"policy {self._policy.id!r} needs the parameters {missing} as texts or numbers")
        return texts

    def _result(self, verdict: VerificationResult, tally: Tally) -> SkillResult:
        evidence: dict[str, ParamValue] = {
            "policy": self._policy.id,
            "verified": verdict.reached is True,
            "check": verdict.words,
            "ended_by": tally.ended_by,
            "queries": tally.queries,
            "actions": tally.actions,
            "limited_actions": tally.limited,
        }
        unverified = self._policy.verify.by == "none"
        if verdict.reached or unverified:
            words = "the result was not verified" if unverified else verdict.words
            return SkillResult(SkillStatus.SUCCEEDED, f"{self._policy.id}: {words}", evidence)
        problem = "not reached" if verdict.reached is False else "not verified"
        message = f"{self._policy.id}: the motion has ended, the goal is {problem}: {verdict.words}"
        return SkillResult(SkillStatus.SKILL_ERROR, message, evidence)

    def _abort(self, reason: str) -> None:
        """Hold at once."""
        if self._motion is not None:
            self._motion.abort(reason)
