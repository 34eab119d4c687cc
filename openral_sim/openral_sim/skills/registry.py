"""The skills by verb."""

from collections.abc import Callable, Mapping

from openral_core import skill_requests as requests
from openral_core.skill_errors import UnservedVerb
from openral_core.skills import ParamValue, Verb
from openral_sim.motion_primitives.context import Running, SkillContext
from openral_sim.skills.explore import explore_floor
from openral_sim.skills.grasp import grasp
from openral_sim.skills.handover import handover
from openral_sim.skills.look_at import look_at
from openral_sim.skills.navigate import navigate
from openral_sim.skills.open_close import close_door, open_door
from openral_sim.skills.place import place
from openral_sim.skills.pour import pour
from openral_sim.skills.switch import press, switch

_Start = Callable[[SkillContext, requests.Params], Running]

SKILLS: Mapping[Verb, _Start] = {
    Verb.NAVIGATE: lambda context, params: navigate(context, requests.NavigateRequest.read(params)),
    Verb.LOOK_AT: lambda context, params: look_at(context, requests.LookAtRequest.read(params)),
    Verb.GRASP: lambda context, params: grasp(context, requests.GraspRequest.read(params)),
    Verb.OPEN: lambda context, params: open_door(context, requests.DoorRequest.read(params)),
    Verb.CLOSE: lambda context, params: close_door(context, requests.DoorRequest.read(params)),
    Verb.PLACE: lambda context, params: place(context, requests.PlaceRequest.read(params)),
    Verb.POUR: lambda context, params: pour(context, requests.PourRequest.read(params)),
    Verb.HANDOVER: lambda context, params: handover(context, requests.HandoverRequest.read(params)),
    Verb.EXPLORE: lambda context, params: explore_floor(context, requests.ExploreRequest.read(params)),
    Verb.SWITCH: lambda context, params: switch(context, requests.SwitchRequest.read(params)),
    Verb.PRESS: lambda context, params: press(context, requests.PressRequest.read(params)),
}
"""Starters of the skills, by the verb that they serve."""


def start(context: SkillContext, verb: Verb, params: Mapping[str, ParamValue]) -> Running:
    """Start the skill of a verb.

    Raises:
        UnservedVerb: If the robot does not serve it.
        BadRequest: If the parameters are invalid.
    """
    if verb not in SKILLS:
        raise UnservedVerb(verb, SKILLS)
    return SKILLS[verb](context, requests.Params(params))
