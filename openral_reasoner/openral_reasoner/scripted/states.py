"""Plans of questions and statements about states of objects."""

from openral_core.object_states import NAME_OF, STATES
from openral_reasoner.context import ToolResult
from openral_reasoner.request.control_names import controls_named
from openral_reasoner.request.goals import AskState, TellState
from openral_reasoner.scripted.appliances import by_room, chosen
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed, named_place, outcome
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.tools.queries import RecallObjectTool
from openral_reasoner.tools.states import UNKNOWN_STATE, GetStateTool, NoteStateTool


def subject(context: PlanContext, what: str) -> Plan[str]:
    """Return the id of what a goal is about: an appliance, a place or a remembered object.

    Raises:
        PlanFailed: If nothing of that name is known, or several appliances are.
    """
    controls = controls_named(context.now.controls, singular(what))
    if controls:
        return chosen(context, by_room(controls)).id
    place = named_place(context.now, what)
    if place is not None:
        return place
    reply = yield RecallObjectTool(query=what)
    if not reply.found:
        raise PlanFailed(f"I know no {what!r}. Where is it?")
    return reply.found[0].id


def ask_state(context: PlanContext, goal: AskState) -> Plan[str]:
    """Answer from memory, with how it is known and since when.

    Raises:
        PlanFailed: If nothing of that name or no such state of it is known, or memory does not answer.
    """
    reply = yield GetStateTool(target=(yield from subject(context, goal.what)))
    if reply.status not in ("KNOWN", UNKNOWN_STATE):
        raise PlanFailed(f"I couldn't ask memory about the {goal.what}: {outcome(reply)}. What should I do?")
    return answer_in_words(goal, reply)


def answer_in_words(goal: AskState, reply: ToolResult) -> str:
    """Return the answer: yes or no with the state and its age.

    Raises:
        PlanFailed: If memory has no such state.
    """
    _, _, states = " ".join(reply.peer_words).partition(": ")
    values = STATES[NAME_OF[goal.value]].values
    state = next((each for each in states.split(", ") if each.partition(" ")[0] in values), "")
    if not state:
        raise PlanFailed(
            f"I don't know whether the {goal.what} is {goal.value}: no sensor and no person told me. Is it?"
        )
    yes = state.partition(" ")[0] == goal.value
    return f"{'Yes' if yes else 'No'}, the {goal.what} is {state}."


def tell_state(context: PlanContext, goal: TellState) -> Plan[str]:
    """Remember what the operator said.

    Raises:
        PlanFailed: If nothing of that name is known, or memory does not take it.
    """
    target = yield from subject(context, goal.what)
    reply = yield NoteStateTool.model_validate({"target": target, "state": goal.value})
    if reply.status != "NOTED":
        raise PlanFailed(f"I couldn't note that the {goal.what} is {goal.value}: {outcome(reply)}.")
    return f"I will remember that the {goal.what} is {goal.value}."
