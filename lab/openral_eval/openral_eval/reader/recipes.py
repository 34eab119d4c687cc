"""Plans of the reader: a recipe of the system prompt, followed step by step with what replies say.

A plan is a generator that yields calls and receives their replies. Steps are the tools and verbs that the
recipe names, in its order; arguments are the slots of the goal and ids that listings and replies gave.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from openral_eval.reader.goals import ReadGoal
from openral_eval.reader.texts import ParsedReply, Texts

Call = tuple[str, dict[str, object]]
Plan = Generator[Call, ParsedReply, None]
_STEP = re.compile(r"\b(?:[a-z]+(?:_[a-z]+)+|[A-Z]{4,}(?:_[A-Z]+)*|done)\b")
RETRIES = 2
"""Calls of done before the reader stops [1]: the first may be challenged."""


@dataclass
class Progress:
    """Ids that replies have given so far, and what is to be told."""

    ids: dict[str, str] = field(default_factory=dict)
    message: str = ""
    failed: str = ""


def plan(texts: Texts, goal: ReadGoal) -> Plan:
    """Follow the recipe of a goal, then end; ask the human if there is none or it fails."""
    recipe = recipe_of(texts, goal.action)
    if not recipe:
        yield from ask(f"I have no tool for this: {texts.goal}. What should I do?")
        return
    progress = Progress()
    steps = tidy(texts, goal) if goal.action == "tidy" else follow(texts, goal, recipe, progress)
    yield from steps
    if progress.failed:
        yield from ask(progress.failed)
        return
    yield from finish(texts, progress.message or f"done: {texts.goal}")


def recipe_of(texts: Texts, action: str) -> str:
    """Return the recipe whose heading names an action; "" if there is none."""
    named = (text for heading, text in texts.recipes.items() if action and action in heading)
    return next(named, "")


def ask(question: str) -> Plan:
    """Ask a human, again if the reply names a place that is left."""
    yield "ask_human", {"question": question}
    yield "ask_human", {"question": question}


def finish(texts: Texts, message: str) -> Plan:
    """End with success; a reply that lacks proof is answered once."""
    for _ in range(RETRIES):
        yield "done", {"success": True, "message": message}


def follow(texts: Texts, goal: ReadGoal, recipe: str, progress: Progress) -> Plan:
    """Do the steps of a recipe in order."""
    for step in steps_of(texts, goal, recipe):
        if step == "done" or progress.failed:
            return
        yield from _STEPS[step](texts, goal, progress) if step in _STEPS else act(texts, goal, progress, step)


def steps_of(texts: Texts, goal: ReadGoal, recipe: str) -> Iterator[str]:
    """Yield the tools and verbs of a recipe; of alternatives joined by "or", the one that fits the goal."""
    for clause in re.split(r"[;.]", recipe):
        named = [step for step in _STEP.findall(clause) if step in texts.tools | texts.skills.keys()]
        if " or " in clause and len(named) > 1:
            named = [step for step in named if fits(texts, goal, step)][:1]
        yield from named


def fits(texts: Texts, goal: ReadGoal, step: str) -> bool:
    """Return True if an alternative is the one of this goal."""
    person = goal.to in ("", "me") or texts.kind_of(texts.listed_id(goal.to)) == "agent"
    if step in ("HANDOVER", "PLACE"):
        return person is (step == "HANDOVER")
    if step in ("OPEN", "CLOSE"):
        return step.lower() == goal.action
    return True


def recall(texts: Texts, goal: ReadGoal, progress: Progress) -> Plan:
    """Recall the object, and the vessel if something is poured; search where the replies say."""
    objects = [goal.what, goal.to] if goal.action == "pour" else [goal.what]
    for words in objects:
        reply = yield "recall_object", {"query": words}
        reply = yield from search(texts, words, reply)
        if not reply.objects:
            progress.failed = f"I could not find {words}. Where is it?"
            return
        first = reply.objects[0]
        progress.ids[words] = str(first["id"])
        progress.message = f"{words}: {first.get('place') or first.get('room') or first['id']}"


def search(texts: Texts, words: str, reply: ParsedReply) -> Generator[Call, ParsedReply, ParsedReply]:
    """Search as long as replies offer places."""
    call = reply.search_call
    while not reply.objects and reply.frontier and call is not None:
        tool, verb, argument = call
        place = str(reply.frontier[0]["id"])
        reply = yield tool, {"rskill_id": texts.skills[verb], "target": place, argument: words}
    return reply


def resolve(texts: Texts, goal: ReadGoal, progress: Progress) -> Plan:
    """Resolve the receiver unless it is listed or the requester."""
    if goal.to in ("", "me") or texts.listed_id(goal.to):
        return
    reply = yield "resolve_place", {"reference": goal.to}
    if not reply.objects:
        progress.failed = f"I do not know {goal.to}. What is meant?"
        return
    progress.ids[goal.to] = str(reply.objects[0]["id"])


def verify(texts: Texts, goal: ReadGoal, progress: Progress) -> Plan:
    """Look for the object in the current view, and go on where the reply says if it is not there."""
    reply = yield "locate_in_view", {"query": goal.what}
    reply = yield from search(texts, goal.what, reply)
    if not reply.objects:
        progress.failed = f"I could not find {goal.what}. Where is it?"


def describe(texts: Texts, goal: ReadGoal, progress: Progress) -> Plan:
    """Read what memory has, and tell it."""
    reply = yield "list_objects", {"within": texts.listed_id(goal.to)} if goal.to else {}
    names = [str(row["label"]) for row in reply.objects]
    progress.message = f"I know of {', '.join(names) or 'nothing'} there"


_STEPS = {
    "recall_object": recall,
    "resolve_place": resolve,
    "locate_in_view": verify,
    "list_objects": describe,
}


def act(texts: Texts, goal: ReadGoal, progress: Progress, verb: str) -> Plan:
    """Do one step with a skill; what it acts on is the object, the vessel, the receiver or the place."""
    receiver = progress.ids.get(goal.to) or texts.listed_id(goal.to) or "me"
    target = receiver
    if verb in ("GRASP", "NAVIGATE", "LOOK_AT") and goal.what in progress.ids:
        target = progress.ids[goal.what]
    if verb == "PLACE" and goal.action == "pour":
        target = surface(texts)
    reply = yield "execute_rskill", {"rskill_id": texts.skills[verb], "target": target}
    if reply.status != "SUCCEEDED":
        reply = yield from search(texts, goal.what, reply)
        if not reply.objects:
            progress.failed = f"{verb} {target}: {reply.status}. What should I do?"
            return
        progress.ids[goal.what] = str(reply.objects[0]["id"])
        yield "execute_rskill", {"rskill_id": texts.skills[verb], "target": progress.ids[goal.what]}


def surface(texts: Texts) -> str:
    """Return a listed place that nothing says has to be opened."""
    words = ("counter", "table", "desk", "shelf")
    named = (row for row in texts.places if row["kind"] == "place")
    return next(str(row["id"]) for row in named if str(row["label"]).split()[-1] in words)


def tidy(texts: Texts, goal: ReadGoal) -> Plan:
    """Look at every place that a list names as not looked at, then put away what is out of place."""
    within: dict[str, object] = {"within": texts.listed_id(goal.to)} if goal.to else {}
    reply = yield "list_objects", within
    while reply.frontier:
        for row in reply.frontier:
            for verb in ("NAVIGATE", "LOOK_AT"):
                yield "execute_rskill", {"rskill_id": texts.skills[verb], "target": row["id"]}
        reply = yield "list_objects", within
    visited = set[str]()
    while misplaced := [
        row for row in reply.objects if row.get("misplaced") and str(row["id"]) not in visited
    ]:
        yield from put_away(texts, misplaced[0])
        visited.add(str(misplaced[0]["id"]))
        reply = yield "list_objects", within


def put_away(texts: Texts, row: object) -> Plan:
    """Take one object to the first place where it belongs."""
    assert isinstance(row, dict)
    place = str(row["belongs_at"][0])
    closed = place in row.get("closed", ())
    steps = [("GRASP", row["id"]), ("PLACE", place)]
    for verb, target in [("OPEN", place), *steps, ("CLOSE", place)] if closed else steps:
        yield "execute_rskill", {"rskill_id": texts.skills[verb], "target": target}
