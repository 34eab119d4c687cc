"""Plans of questions and statements about states of objects."""

from openral_core.object_states import NAME_OF, STATES
from openral_core.skills import Verb
from openral_core.text.terms import answers
from openral_reasoner.context import ToolResult
from openral_reasoner.request.control_names import controls_named
from openral_reasoner.request.goals import AskCount, AskState, TellState
from openral_reasoner.scripted.appliances import by_room, chosen
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed, named_place, outcome
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.tools.belongings import ListObjectsTool
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
    _, _, told = " ".join(reply.peer_words).partition(": ")
    values = STATES[NAME_OF[goal.value]].values
    known = next((each for each in told.split(", ") if each.partition(" ")[0] in values), "")
    if not known:
        raise PlanFailed(
            f"I don't know whether the {goal.what} is {goal.value}: no sensor and no person told me. Is it?"
        )
    yes = known.partition(" ")[0] == goal.value
    return f"{'Yes' if yes else 'No'}, the {goal.what} is {known}."


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


def ask_count(context: PlanContext, goal: AskCount) -> Plan[str]:
    """Look at the place, if one is named and the robot can drive, and count what memory has there then.

    Raises:
        PlanFailed: If the place is not known, or memory does not answer.
    """
    place = named_place(context.now, goal.where) if goal.where else ""
    if place is None:
        raise PlanFailed(f"I know no place called {goal.where!r}. Which one do you mean?")
    problem = ""
    if place and context.offers(Verb.NAVIGATE):
        went = yield from context.act(Verb.NAVIGATE, place)
        look = (yield from context.act(Verb.LOOK_AT, place)) if went.status == "SUCCEEDED" else went
        problem = "" if look.status == "SUCCEEDED" else f" I could not look there: {outcome(look)}."
    reply = yield ListObjectsTool(within=place)
    if reply.status != "LISTED":
        raise PlanFailed(f"I couldn't ask memory how many there are: {outcome(reply)}. What should I do?")
    there = [each for each in reply.found if not each.held and answers(goal.what, each.label)]
    ages = ((each.label, each.why or ("not seen for long" if each.stale else "")) for each in there)
    names = ", ".join(f"{label} ({age})" if age else label for label, age in ages)
    where = f" at the {goal.where}" if goal.where else " in the home, as far as I have seen it"
    shut = [each.label for each in reply.frontier if each.must_open]
    unseen = f" I have not looked into {', '.join(shut[:4])}, which are closed." if shut else ""
    return f"I know of {len(there)} x {goal.what}{where}{names and f': {names}'}.{unseen}{problem}"
