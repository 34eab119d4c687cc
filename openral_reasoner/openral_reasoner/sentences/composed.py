"""Meanings of clauses that contain others: courtesy, conditions, corrections, prohibitions, remarks."""

from collections.abc import Callable
from dataclasses import replace

from openral_core.text.terms import same_term
from openral_reasoner.request.goals import (
    Act,
    Bring,
    BringFilled,
    BringSeveral,
    Conditional,
    Find,
    Forbidden,
    GoTo,
    MoveDoor,
    PickUp,
    Request,
    WaitFor,
)
from openral_reasoner.sentences.context import ME, ClauseReading, Discourse, for_speaker
from openral_reasoner.sentences.kinds import is_person
from openral_reasoner.sentences.slots import Slots, Table

MAX_CUTS = 4
"""Most verbs at which a condition without a mark may end."""


def ask(slots: Slots) -> ClauseReading | None:
    """Read a request in words of courtesy, or before a reason."""
    if _may_change_it(slots):
        return None
    reading = slots.clause(slots.words("rest"), slots.context)
    return for_speaker(reading) if reading is not None else None


def _may_change_it(slots: Slots) -> bool:
    """Return True if words of a reason may change what is asked for."""
    return bool(slots.nouns.words.not_remarks.intersection(slots.words("any").lower().split()))


def ask_doing(slots: Slots) -> ClauseReading | None:
    """Read a request with its verb in another form: "would you mind bringing the mug"."""
    verb, _, rest = slots.words("rest").partition(" ")
    forms = slots.nouns.words.forms
    stem = next((stem for stem, others in forms.items() if verb.lower() in others), None)
    return slots.clause(f"{stem} {rest}".strip(), slots.context) if stem else None


def exists(slots: Slots, key: str = "what") -> ClauseReading | None:
    """Read a condition: something is there."""
    phrases, where = slots.names(key), slots.place("where")
    if phrases is None or where is None or len(phrases) != 1 or phrases[0].count != 1:
        return None
    phrase = phrases[0]
    if not slots.nouns.is_tangible(phrase):
        return None
    goal = Find(phrase.name, phrase.where or where)
    return ClauseReading((goal,), context=slots.context, negated=slots.match.intent == "NotExists")


def _condition(slots: Slots) -> tuple[Find, bool] | None:
    """Return what is looked for in a condition, and True if it has to be there."""
    words = slots.words("condition")
    read = exists(slots, "seen") if slots.words("seen") else slots.condition(words, Discourse())
    if read is None and words and slots.words("then"):
        then = slots.text(slots.words("then"), slots.context)
        context = slots.context.after((then,)) if isinstance(then, Bring | BringFilled) else Discourse()
        read = slots.condition(words, context)
    where = slots.place("place")
    target = read.goals[0] if read is not None and len(read.goals) == 1 else None
    if read is None or where is None or not isinstance(target, Find):
        return None
    return replace(target, where=target.where or where), not read.negated


def conditional(slots: Slots) -> ClauseReading | None:
    """Read a condition with what is done if it holds and if it does not."""
    condition = _condition(slots)
    if condition is None:
        return None
    target, there = condition
    then = _branch(slots, slots.words("then"), target)
    otherwise = _branch(slots, slots.words("otherwise"), target, then)
    if (then is None) == bool(slots.words("then")) or (otherwise is None) == bool(slots.words("otherwise")):
        return None
    branches = (then, otherwise)
    if isinstance(then, Conditional) and same_term(then.condition.what, target.what) and otherwise is None:
        branches = (then.then, then.otherwise)  # "if there is milk bring it, otherwise water"
    if not there:
        branches = branches[::-1]
    goal = Conditional(target, *branches)
    return ClauseReading((goal,), context=slots.context, spans=True) if then or otherwise else None


def run_on(slots: Slots) -> ClauseReading | None:
    """Read a condition whose end no mark shows: "if there is milk bring it"."""
    words = slots.words("rest").split()
    verbs = slots.nouns.words.request_verbs
    cuts = [index for index in range(1, len(words)) if words[index].lower() in verbs]
    readings = [_cut_at(slots, words, index) for index in cuts[:MAX_CUTS]]
    read = [each for each in readings if each is not None]
    return read[0] if len(read) == 1 else None


def _cut_at(slots: Slots, words: list[str], index: int) -> ClauseReading | None:
    key = "seen" if slots.words("place") else "condition"
    cut = {key: " ".join(words[:index]), "then": " ".join(words[index:])}
    match = replace(slots.match, slots={**slots.match.slots, **cut})
    return conditional(replace(slots, match=match))


def _branch(slots: Slots, words: str, target: Find, then: Request | None = None) -> Request | None:
    """Read what is done in one case; a noun phrase is brought like the object of the other case."""
    if not words:
        return None
    person = target.what if is_person(target.what) else ""
    context = Discourse(() if person else (target.what,), target.where, target.where, "", "", person)
    like = then if isinstance(then, Bring | BringFilled | BringSeveral) else None
    receiver = like.to if like is not None and like.to != ME else ""
    context = replace(context.naming(target.where), person=person or receiver)
    if like is not None:
        context = replace(context, goals=(like,))
    request = slots.text(words, context)
    if isinstance(request, Bring) and same_term(request.what, target.what) and not request.where:
        return replace(request, where=target.where)
    return request


def or_else(slots: Slots) -> ClauseReading | None:
    """Read "bring me juice, otherwise milk"."""
    then = slots.text(slots.words("then"), slots.context)
    if not isinstance(then, Bring | BringFilled):
        return None
    target = Find(then.what if isinstance(then, Bring) else then.contents, getattr(then, "where", ""))
    other = slots.nouns.phrase(slots.words("unless")) if slots.words("unless") else None
    if slots.words("unless") and (other is None or not (other.pronoun or same_term(other.name, target.what))):
        return None
    otherwise = _branch(slots, slots.words("otherwise"), target, then)
    if otherwise is None:
        return None
    return ClauseReading((Conditional(target, then, otherwise),), context=slots.context, spans=True)


def wait_for(slots: Slots) -> ClauseReading | None:
    """Read what is done when a person comes."""
    words = slots.words("who")
    if words.lower() in slots.nouns.words.pronouns:
        then = slots.text(slots.words("then"), slots.context)
        who = then.to if isinstance(then, Bring | BringFilled) and is_person(then.to) else ""
    else:
        who = slots.nouns.person(words)
        who = who[:1].upper() + who[1:] if " " not in who else who
        then = slots.text(slots.words("then"), replace(slots.context, person=who)) if who else None
    goals = (WaitFor(who, then),) if who and then is not None else ()
    return ClauseReading(goals, context=slots.context, spans=True) if goals else None


def in_order(slots: Slots) -> ClauseReading | None:
    """Read two clauses whose order is stated apart from where they stand."""
    first = _verbal(slots, slots.words("earlier"), slots.context)
    second = _verbal(slots, slots.words("later"), first.context) if first is not None else None
    if first is None or second is None or not first.goals or not second.goals:
        return None
    goals = (*first.goals, *second.goals)
    return ClauseReading(goals, context=second.context, ordered=True, weight=first.weight)


def _verbal(slots: Slots, words: str, context: Discourse) -> ClauseReading | None:
    verb, _, rest = words.partition(" ")
    forms = slots.nouns.words.forms
    stem = next((stem for stem, others in forms.items() if verb.lower() in others), verb)
    return slots.clause(f"{stem} {rest}", context)


def not_this(slots: Slots) -> ClauseReading | None:
    """Read what is wanted instead of an object: "not the glass, the mug"."""
    unwanted = slots.nouns.object(slots.words("wrong"))
    return slots.outer(slots.words("right")) if unwanted is not None else None


def corrected(slots: Slots) -> ClauseReading | None:
    """Read what replaces an order or its object: "the glass, no, the mug"."""
    wrong = slots.clause(slots.words("wrong"), slots.context)
    right = slots.words("right")
    if wrong is None or len(wrong.goals) != 1:
        return None
    instead = slots.clause(right, slots.context)
    if instead is not None and instead.goals:
        return replace(instead, spans=True)
    return _with_other_slot(slots, wrong.goals[0], right)


def _with_other_slot(slots: Slots, goal: Request, right: str) -> ClauseReading | None:
    if not isinstance(goal, Bring | PickUp | Find) or right.lower() in slots.nouns.words.pronouns:
        return None
    made = _moved_elsewhere(slots, goal, right) if isinstance(goal, Bring) and goal.to != ME else None
    phrase = slots.nouns.object(right) if made is None and slots.placement(right) is None else None
    if phrase is not None and not phrase.pronoun and phrase.count == 1 and not phrase.vessel:
        return _replaced(slots, replace(goal, what=phrase.name))
    return _replaced(slots, made) if made is not None else None


def _moved_elsewhere(slots: Slots, goal: Bring, right: str) -> Bring | None:
    """Return a delivery with the place that corrects it: "sorry, on the shelf"."""
    placed = slots.placement(right)
    movable = placed is None and slots.nouns.object(right) is not None
    to = None if movable else slots.nouns.place(placed["to"] if placed is not None else right)
    return replace(goal, to=to) if to else None


def _replaced(slots: Slots, goal: Request) -> ClauseReading:
    return ClauseReading((goal,), context=slots.context.after((goal,)), spans=True)


def counted_again(slots: Slots) -> ClauseReading | None:
    """Read "make that two"."""
    wrong = slots.clause(slots.words("wrong"), slots.context)
    count = int(slots.words("count"))
    goal = wrong.goals[0] if wrong is not None and len(wrong.goals) == 1 else None
    if not isinstance(goal, Bring | BringSeveral) or count < 2:
        return None
    made = BringSeveral(goal.what, count, goal.to, goal.where, goal.relation)
    return _replaced(slots, made)


def _forbid(*acts: Act) -> Callable[[Slots], ClauseReading | None]:
    def build(slots: Slots) -> ClauseReading | None:
        phrases = slots.nouns.list_of(slots.words("what"), pauses=False)
        if phrases is None or any(each.pronoun and not slots.context.container for each in phrases):
            return None
        names = [slots.context.container if each.pronoun else each.name for each in phrases]
        if any(each.where for each in phrases):
            return None
        forbidden = tuple(Forbidden(act, name) for name in names for act in acts)
        taken = tuple(names) if acts == (Act.TAKE,) else ()
        context = replace(slots.context, objects=taken) if taken else slots.context
        return ClauseReading(forbidden=forbidden, context=context)

    return build


def forbid_like(slots: Slots) -> ClauseReading | None:
    """Forbid with another object what is done with the last: "open the cabinet, but not the fridge"."""
    last = slots.context.goals[-1] if slots.context.goals else None
    phrase = slots.nouns.phrase(slots.words("what"))
    if last is None or phrase is None or not phrase.name or phrase.where:
        return None
    act = Act.TAKE if isinstance(last, Bring | BringSeveral) and slots.nouns.is_movable(phrase) else None
    if isinstance(last, MoveDoor):
        act = Act.OPEN if last.open else Act.CLOSE
    if isinstance(last, GoTo):
        act = Act.ENTER
    if act is None:
        return None
    return ClauseReading(forbidden=(Forbidden(act, phrase.name),), context=slots.context)


def remark(slots: Slots) -> ClauseReading | None:
    """Pass over words that ask for nothing."""
    return None if _may_change_it(slots) else ClauseReading(context=slots.context)


def free_remark(slots: Slots) -> ClauseReading | None:
    """Pass over a reason in words of its own, where nothing in it may change what is asked for."""
    words = " ".join(slots.match.slots.values()).lower().split()
    harmless = not slots.nouns.words.not_remarks.intersection(words) and len(words) <= 8 and "/" not in words
    return ClauseReading(context=slots.context, free=True) if harmless else None


def about_person(slots: Slots) -> ClauseReading | None:
    """Pass over a statement about a person, whom a later pronoun may mean."""
    who = slots.nouns.person(slots.words("who"))
    reason = slots.words("any").lower().split()
    if not who or slots.nouns.words.not_remarks.intersection(reason):
        return None
    return ClauseReading(context=replace(slots.context, person=who))


def located(slots: Slots) -> ClauseReading | None:
    """Note where an object is, of which the next clause says what to do with it."""
    phrases, where = slots.names(), slots.place("where")
    if phrases is None or where is None or any(each.pronoun for each in phrases):
        return None
    if not all(map(slots.nouns.is_tangible, phrases)):
        return None
    source = where or phrases[0].where
    who = slots.nouns.person(slots.words("who")) if slots.words("who") else ""
    context = slots.context.naming(*(each.name for each in phrases), source, who)
    movable = tuple(each.name for each in phrases if slots.nouns.is_movable(each))
    return ClauseReading(context=replace(context, objects=movable, source=source), awaited=True)


def topic(slots: Slots) -> ClauseReading | None:
    """Note what the next clause is about: "the drawer, close it"."""
    phrases = slots.names()
    definite = phrases is not None and all(
        (each.determined or slots.nouns.is_known(each)) and not each.pronoun for each in phrases
    )
    return located(slots) if definite else None


def its_place(slots: Slots) -> ClauseReading | None:
    """Add where the object of the goal before is: "it is in the bathroom"."""
    last = slots.context.goals[-1] if slots.context.goals else None
    where = slots.place("where")
    if not isinstance(last, Bring | BringSeveral | PickUp | Find) or not where or last.where:
        return None
    return ClauseReading((replace(last, where=where),), context=slots.context, refers=True)


COMPOSED: Table = {
    "Ask": ask,
    "AskDoing": ask_doing,
    "Exists": exists,
    "NotExists": exists,
    "IfThen": conditional,
    "IfRunOn": run_on,
    "OrElse": or_else,
    "Wait": wait_for,
    "InOrder": in_order,
    "NotThis": not_this,
    "Corrected": corrected,
    "CountedAgain": counted_again,
    "ForbidOpen": _forbid(Act.OPEN),
    "ForbidClose": _forbid(Act.CLOSE),
    "ForbidTake": _forbid(Act.TAKE),
    "ForbidLike": forbid_like,
    "ForbidFrom": _forbid(Act.TAKE, Act.OPEN),
    "ForbidEnter": _forbid(Act.ENTER),
    "ForbidTouch": _forbid(Act.TOUCH),
    "Remark": remark,
    "FreeRemark": free_remark,
    "Person": about_person,
    "Located": located,
    "Topic": topic,
    "ItsPlace": its_place,
}
