"""A stated request in words, as the operator reads what was understood."""

from collections.abc import Callable, Mapping
from typing import Any

from openral_reasoner.request import goals
from openral_reasoner.request.goals import Act, Forbidden, Request


def in_words(request: Request) -> str:
    """Say a request as short orders, as in "bring 2 mugs to you; do not open the fridge"."""
    return _WORDS[type(request)](request)


def forbidden_in_words(rule: Forbidden) -> str:
    """Say what must not be done, as in "open the fridge"."""
    return f"{'take (from)' if rule.act is Act.TAKE else rule.act.value} {_the(rule.what)}"


def _the(name: str) -> str:
    """Return a name with its article; names of people and ids have none."""
    return name if not name or name[:1].isupper() or "_" in name else f"the {name}"


def _to(receiver: str) -> str:
    return " to you" if receiver == "me" else f" to {_the(receiver)}"


def _beside(goal: goals.Bring | goals.BringSeveral | goals.BringEvery) -> str:
    """Return where an object goes, beside a place as stated."""
    return f" {goal.relation} {_the(goal.to)}" if goal.relation else _to(goal.to)


def _at(words: str, place: str) -> str:
    return f" {words} {_the(place)}" if place else ""


def _conditional(goal: goals.Conditional) -> str:
    there = f"{goal.condition.what} is there{_at('at', goal.condition.where)}"
    then = in_words(goal.then) if goal.then is not None else "do nothing"
    otherwise = f", otherwise {in_words(goal.otherwise)}" if goal.otherwise is not None else ""
    return f"if {there}, {then}{otherwise}"


_WORDS: Mapping[type, Callable[[Any], str]] = {
    goals.Bring: lambda goal: f"bring {_the(goal.what)}{_at('from', goal.where)}{_beside(goal)}",
    goals.BringSeveral: lambda goal: (
        f"bring {goal.count} x {goal.what}{_at('from', goal.where)}{_beside(goal)}"
    ),
    goals.BringEvery: lambda goal: f"bring every {goal.what}{_at('from', goal.where)}{_beside(goal)}",
    goals.BringEach: lambda goal: f"bring one {goal.what}{_at('from', goal.where)} to everyone",
    goals.BringFilled: lambda goal: f"bring {_the(goal.vessel)} with {goal.contents}{_to(goal.to)}",
    goals.Pour: lambda goal: f"pour {goal.contents} into {_the(goal.vessel)}",
    goals.PickUp: lambda goal: f"pick up {_the(goal.what)}{_at('from', goal.where)}",
    goals.Find: lambda goal: f"find {_the(goal.what)}{_at('at', goal.where)}",
    goals.GoTo: lambda goal: f"go{_to(goal.where)}",
    goals.LookAt: lambda goal: f"look at {'you' if goal.what == 'me' else _the(goal.what)}",
    goals.LookInside: lambda goal: f"look into {_the(goal.what)}",
    goals.MoveDoor: lambda goal: f"{'open' if goal.open else 'close'} {_the(goal.what)}",
    goals.Switch: lambda goal: (
        f"turn {'on' if goal.on else 'off'} {f'every {goal.what}' if goal.every else _the(goal.what)}"
        f"{_at('at', goal.where)}"
    ),
    goals.Press: lambda goal: f"press {_the(goal.what)}",
    goals.Swap: lambda goal: f"exchange {_the(goal.first)} and {_the(goal.second)}",
    goals.Tidy: lambda goal: f"tidy {_the(goal.where or 'home')}",
    goals.Clear: lambda goal: f"clear {_the(goal.where)}{_to(goal.to) if goal.to else ''}",
    goals.SetTable: lambda goal: f"set {_the(goal.where)}{f' for {goal.count}' if goal.count else ''}",
    goals.Explore: lambda goal: f"explore {_the(goal.where or 'home')}",
    goals.Describe: lambda goal: f"say what is known of {_the(goal.where or 'home')}",
    goals.AskState: lambda goal: f"say if {_the(goal.what)} is {goal.value}",
    goals.TellState: lambda goal: f"note that {_the(goal.what)} is {goal.value}",
    goals.AskCount: lambda goal: f"count {goal.what}{_at('at', goal.where)}",
    goals.AskCompare: lambda goal: (
        f"say which {f'of {goal.what} and {goal.other}' if goal.other else goal.what} is the {goal.property}"
        f"{_at('at', goal.where)}{_at('to', goal.near)}"
    ),
    goals.Attend: lambda goal: " ".join(
        filter(
            None, (goal.act, goal.topic, goal.who, _at("at", goal.where).strip(), goal.to and f"to {goal.to}")
        )
    ),
    goals.AskAbilities: lambda goal: "say what I can do",
    goals.AskWhereabouts: lambda goal: "say where I am",
    goals.AskView: lambda goal: (
        f"say {f'if I see {goal.what}' if goal.what else 'what I see'}{_at('at', goal.side)}"
        f"{_at('of', goal.of)}"
    ),
    goals.Conditional: _conditional,
    goals.WaitFor: lambda goal: f"when {_the(goal.who)} has come, {in_words(goal.then)}",
    goals.Sequence: lambda goal: (", then " if goal.ordered else "; ").join(map(in_words, goal.parts)),
    goals.Restricted: lambda goal: "; ".join(
        (in_words(goal.goal), *(f"do not {forbidden_in_words(each)}" for each in goal.forbidden))
    ),
    goals.NotUnderstood: lambda goal: f"not understood: {goal.words!r}",
}
