"""Plans of goals about switches and buttons."""

from collections.abc import Iterable, Mapping

from openral_core.skills import Verb
from openral_reasoner.palette.entries import ControlEntry
from openral_reasoner.request.control_names import controls_named, controls_of
from openral_reasoner.request.goals import Press, Switch
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed, named_place, outcome


def switch(context: PlanContext, goal: Switch) -> Plan[str]:
    """Turn on or off what is named, or all of it.

    Raises:
        PlanFailed: If no control of it is known, or several are and one is meant.
    """
    controls = _meant(context, goal)
    way, failed = "on" if goal.on else "off", list[str]()
    for control in controls:
        reply = yield from context.act(Verb.SWITCH, control.id, parameters={"on": goal.on})
        if reply.status != "SUCCEEDED":
            failed.append(f"{control.appliance}: {outcome(reply)}")
    if failed:
        raise PlanFailed(f"I couldn't switch {way} the {', the '.join(failed)}. What should I do?")
    return f"{', '.join(f'The {control.appliance}' for control in controls)} is {way}."


def _meant(context: PlanContext, goal: Switch) -> tuple[ControlEntry, ...]:
    room = named_place(context.now, goal.where) if goal.where else ""
    if room is None:
        raise PlanFailed(f"I don't know where {goal.where!r} is.")
    controls = controls_of(context.now.controls, goal, room)
    if not controls:
        raise PlanFailed(f"I know no switch of {goal.what!r}{in_room(goal.where)}.{known_controls(context)}")
    return controls if goal.every else (chosen(context, by_room(controls)),)


def by_room(controls: Iterable[ControlEntry]) -> Mapping[str, ControlEntry]:
    """Return controls by the names that tell them apart."""
    return {f"{each.appliance} ({each.room})": each for each in controls}


def chosen(context: PlanContext, by_name: Mapping[str, ControlEntry]) -> ControlEntry:
    """Return the only control, or the one of several that the operator has chosen by its name.

    Raises:
        PlanFailed: With the names, if none was chosen.
    """
    control = next(iter(by_name.values())) if len(by_name) == 1 else by_name.get(context.suggestion)
    if control is None:
        raise PlanFailed(f"Which one: {', '.join(f'the {name}' for name in by_name)}?", by_name)
    return control


def in_room(where: str) -> str:
    """Return the words for a stated place."""
    return f" in the {where}" if where else ""


def known_controls(context: PlanContext) -> str:
    """Return a sentence about the appliances that can be switched."""
    names = ", ".join(dict.fromkeys(each.appliance for each in context.now.controls))
    return f" I can switch: {names}." if names else " I know of no switch here."


def press(context: PlanContext, goal: Press) -> Plan[str]:
    """Press what is named.

    Raises:
        PlanFailed: If no such control is known, or several are.
    """
    controls = controls_named(context.now.controls, goal.what)
    if not controls:
        raise PlanFailed(f"I know no {goal.what!r} that I could press.{known_controls(context)}")
    control = chosen(context, {each.label: each for each in controls})
    yield from context.require(Verb.PRESS, control.id, f"press the {control.label}")
    return f"I pressed the {control.label}."
