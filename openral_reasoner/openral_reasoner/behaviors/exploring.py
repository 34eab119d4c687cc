"""Explore unknown floor: as a step of its own, and where a goal fails for want of known floor."""

from dataclasses import replace

from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_reasoner.behaviors.skill_goal import SkillStep, run_skill
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import HOME, MissionObject
from openral_reasoner.search import Candidate, CandidateKind, SearchCosts

UNEXPLORED = "unexplored"
"""Id of unexplored floor on the frontier of a search."""
VIEWS = 3
"""Views of one round of exploration on the way to something else [1]."""
MAX_ROUNDS = 20
"""Rounds per mission [1]: together as many views as the simulation's skill takes of a home."""
MAX_FAILURES = 2
"""Failed rounds after which a mission explores no more [1]."""
RESERVE = 0.25
"""Share of the mission's time that exploration on the way leaves for the goal itself [1]."""
MARGIN = 15.0
"""Time by which an exploration ends before the mission's time [s], so that its result can be told."""
UNKNOWN_SHARE = 0.5
"""Share of the floor taken as seen while it is not known [1]."""
DRIVE = 3.0
"""Way to a view or place, taken to weigh exploration against known places [m]."""
_NO_FLOOR = ("unknown", "no_way")
_ENDED = (SkillStatus.SUCCEEDED, SkillStatus.TIMEOUT)


def explore(mission: Mission, area: MissionObject, views: int = 0) -> Procedure[SkillResult]:
    """Look around in the home or a room, at most from ``views`` places, and note what share was seen."""
    entry = next(iter(mission.palette.with_verb(Verb.EXPLORE)), None)
    if entry is None:
        return SkillResult(SkillStatus.UNSUPPORTED, "no EXPLORE skill is available")
    step = SkillStep(entry, area, extras={"views": views} if views else {})
    mission.base.explored_area = area.id
    seconds = max(1.0, min(entry.deadline, mission.ledger.left("seconds", mission.now) - MARGIN))
    try:
        result = yield from run_skill(mission, step, seconds)
    finally:
        mission.base.explored_area = ""
    if area.id == HOME.id:
        share = result.evidence.get("seen")
        last_share = share if isinstance(share, float) else mission.floor.seen
        mission.floor = replace(mission.floor, seen=last_share, complete=result.success)
    return result


def explore_on_the_way(mission: Mission) -> Procedure[bool]:
    """Explore the home from a few more places; True if the map may have grown."""
    mission.floor = replace(mission.floor, rounds=mission.floor.rounds + 1)
    result = yield from explore(mission, HOME, VIEWS)
    if result.status in _ENDED:
        return True
    mission.floor = replace(mission.floor, rounds=mission.floor.rounds + MAX_ROUNDS // MAX_FAILURES)
    return False


def may_explore(mission: Mission) -> bool:
    """Return True if one more round on the way is possible, promising and within the mission's budget."""
    floor, ledger = mission.floor, mission.ledger
    is_complete = floor.complete and floor.rounds > 0
    timely = ledger.left("seconds", mission.now) > RESERVE * ledger.limit("seconds") + MARGIN
    able = bool(mission.palette.with_verb(Verb.EXPLORE)) and ledger.left("skills") >= 2
    return able and timely and not is_complete and floor.rounds < MAX_ROUNDS


def run_on_known_floor(mission: Mission, step: SkillStep) -> Procedure[SkillResult]:
    """Run a skill; while it fails because its way is not on the map, explore and run it again."""
    result = yield from run_skill(mission, step)
    while lacks_floor(result):
        mission.floor = replace(mission.floor, lacked=True)
        if not may_explore(mission) or not (yield from explore_on_the_way(mission)):
            return result
        result = yield from run_skill(mission, step)
    if result.success:
        mission.floor = replace(mission.floor, lacked=False)
    return result


def lacks_floor(result: SkillResult) -> bool:
    """Return True if exploration may find the way; it does not open a door or move what is in the way."""
    obstacle = Obstruction.of(result.evidence)
    unseen = obstacle is None or obstacle.kind is ObstacleKind.UNKNOWN_FLOOR
    lacking = result.evidence.get("floor") in _NO_FLOOR
    return result.status is SkillStatus.NOT_REACHABLE and lacking and unseen


def with_unexplored(mission: Mission, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Add unexplored floor to the candidates of a search, by its chance per cost.

    The object is on floor never seen with the probability of that floor's share; a round of exploration is
    taken to show half of it. Near misses of memory stay first.
    """
    if mission.floor.complete or not may_explore(mission):
        return candidates
    costs, floor = mission.settings.search, mission.floor
    share = UNKNOWN_SHARE if floor.seen is None else floor.seen
    chance = (1.0 - share) / 2.0
    ratio = chance / (VIEWS * (DRIVE + costs.looking))
    why = f"{floor.words}: call explore with search_for"
    unexplored = Candidate(UNEXPLORED, "unexplored floor", CandidateKind.UNEXPLORED, why, chance=chance)
    worse = (
        index
        for index, each in enumerate(candidates)
        if each.kind is not CandidateKind.NEAR_MISS and each.chance * share / cost_of(each, costs) < ratio
    )
    place = next(worse, len(candidates))
    return (*candidates[:place], unexplored, *candidates[place:])


def cost_of(candidate: Candidate, costs: SearchCosts) -> float:
    """Estimate the cost of a visit, as a driving distance [m]."""
    return DRIVE + costs.looking + costs.opening * candidate.must_open
