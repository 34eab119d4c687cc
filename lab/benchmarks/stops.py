"""Emergency stops at random moments of all skills: time to standstill, and motion before the release.

In one process, without cameras. A scenario of every skill runs over seeds of the home; at random moments the
robot is halted, watched for two seconds while goals keep coming, released, and given the same goal again. The
baseline is the cancellation of the same skill at another random moment. Times are simulated.
STOPS=n in the environment, else 200; SEED=n is the first home, else 0; VERBS=a,b stops only these skills.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.wine_scenario import COUNTER, Params, Scenario, steps
from openral_core.geometry import Pose
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import SkillResult, Verb
from openral_sim.simulation import Simulation

LONG = True
SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"
STANDSTILL = 0.01
"""Speed of any joint below which the robot stands, in [m/s] or [rad/s]: an encoder's noise."""
MOVED = 0.005
"""Displacement of a joint after standstill that counts as a motion, in [m] or [rad]."""
WATCHED = 2.0
"""Time for which the halted robot is watched [s]."""
LONGEST = 12.0
"""Latest moment of a stop after the begin of a skill [s]; most skills last 5 to 15 s."""
SHORT = {Verb.LOOK_AT: 1.0, Verb.NAVIGATE: 4.0, Verb.HANDOVER: 5.0}
"""The same of shorter skills [s]."""
LIMIT = 0.2
"""Longest time to standstill that is allowed [s]."""
INTRUDER = ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(4.0, 2.2, 0.0)}, 60.0)
"""Goal that comes in every control period of a halt."""


@dataclass(frozen=True)
class Stop:
    """One stop: the speed when it came, the time to standstill [s], and the displacement after it."""

    verb: Verb
    how: str
    stage: str
    speed: float
    standstill: float
    moved: float


class Bench:
    """A simulation, its scenario, and the stops so far."""

    def __init__(self, seed: int) -> None:
        self.simulation = Simulation.load(SCENE, seed)
        self.scenario = Scenario(self.simulation.world, seed)
        self.scenario.robot = self.simulation._context

    def joints(self) -> np.ndarray:
        """Return the positions of base, lift, arm and head."""
        control = self.simulation.control
        return np.array([*control.base_pose, *control.reach, *control.head])

    def carry_out(self, verb: Verb, params: Params, moment: float, how: str) -> SkillResult | Stop:
        """Run a skill to its end, or stop it ``moment`` [s] after its begin."""
        self.simulation.start(ValidatedGoal(verb.value.lower(), verb, params, 60.0))
        begun = self.simulation.time
        while True:
            if self.simulation.time - begun >= moment:
                return self.stop(verb, how)
            result = self.simulation.advance()
            if result is not None:
                return result

    def stop(self, verb: Verb, how: str) -> Stop:
        """Stop, watch, and release; goals that come meanwhile must not move the robot."""
        simulation = self.simulation
        stage, speed = simulation.feedback.stage, float(simulation.control.speeds.max())
        begun, stood, still, moved = simulation.time, np.inf, self.joints(), 0.0
        simulation.cancel()
        while simulation.time - begun < WATCHED:
            if how == "halted":
                simulation.halt()
            simulation.advance()
            if how == "halted":
                simulation.start(INTRUDER)
            if simulation.control.speeds.max() >= STANDSTILL:
                stood = np.inf
            elif np.isinf(stood):
                stood, still = simulation.time - begun, self.joints()
            else:
                moved = max(moved, float(np.abs(self.joints() - still).max()))
        simulation.halt()
        simulation.release()
        return Stop(verb, how, stage, speed, stood, moved)


def every_skill(scenario: Scenario) -> Iterator[tuple[Verb, Callable[[], Params]]]:
    """Yield the steps of the wine scenario, with looks between them."""
    for _, verb, params in steps(scenario):
        yield Verb.LOOK_AT, lambda: {"target": scenario.fixture(COUNTER)}
        yield verb, params


def stops(target: int) -> Iterator[Stop]:
    """Yield stops over seeds of the home until as many were halted; each one is cancelled first."""
    seed = int(os.environ.get("SEED", "0"))
    rng, count = np.random.default_rng(seed), 0
    chosen = {Verb(name) for name in os.environ.get("VERBS", "").split(",") if name} or set(Verb)
    while count < target:
        bench, seed = Bench(seed), seed + 1
        for verb, params in every_skill(bench.scenario):
            outcome: SkillResult | Stop | None = None
            for how in ("cancelled", "halted", "halted", "never") if verb in chosen else ("never",):
                moment = float(rng.uniform(0.0, SHORT.get(verb, LONGEST))) if how != "never" else np.inf
                outcome = bench.carry_out(verb, params(), moment, how)
                if isinstance(outcome, SkillResult):
                    break
                count += how == "halted"
                yield outcome
            if isinstance(outcome, SkillResult) and not outcome.success:
                break  # what was held fell, or the like: the next home
            if count >= target:
                return


def run() -> list[dict[str, object]]:
    """One row per skill, and one of all."""
    sample = list(stops(int(os.environ.get("STOPS", "200"))))
    halted = [stop for stop in sample if stop.how == "halted"]
    verbs = [*dict.fromkeys(stop.verb for stop in halted)]
    rows = [row(str(verb), [stop for stop in sample if stop.verb is verb]) for verb in verbs]
    return [*rows, row("all", sample)]


def row(name: str, sample: list[Stop]) -> dict[str, object]:
    """Sum up the stops of one skill."""
    halted = [stop for stop in sample if stop.how == "halted"]
    cancelled = [stop.standstill for stop in sample if stop.how == "cancelled"]
    times = [stop.standstill for stop in halted]
    slowest = max(halted, key=lambda stop: stop.standstill)
    return {
        "skill": name,
        "stops": len(halted),
        "moving": sum(stop.speed >= STANDSTILL for stop in halted),
        "within_0.2_s": sum(time <= LIMIT + 1e-6 for time in times),
        "median_s": round(float(np.median(times)), 3),
        "longest_s": round(max(times), 3),
        "longest_at": slowest.stage,
        "moved_before_release": sum(stop.moved > MOVED for stop in halted),
        "largest_drift": round(max(stop.moved for stop in halted), 5),
        "cancelled_median_s": round(float(np.median(cancelled)), 3) if cancelled else "",
        "ratio": round(float(np.median(cancelled) / np.median(times)), 1) if cancelled else "",
    }
