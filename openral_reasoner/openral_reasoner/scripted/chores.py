"""Rules for goals about two objects, groups, surfaces, rooms and appliances."""

import re
from collections.abc import Callable

from openral_reasoner.request.goals import (
    BringEach,
    BringFilled,
    Clear,
    Describe,
    Explore,
    Press,
    Request,
    Sequence,
    SetTable,
    Swap,
    Switch,
    Tidy,
)
from openral_reasoner.scripted.delivery import read_bring
from openral_reasoner.scripted.normalise import VERBS
from openral_reasoner.scripted.noun_phrases import (
    NUMBERS,
    ROOM,
    counted,
    is_intangible,
    is_noun_phrase,
    is_object,
    is_place,
    listed,
    plain,
    singular,
    split_place,
)
from openral_reasoner.scripted.switch_names import read_switch
from openral_reasoner.terms import same_term

_Rule = tuple[str, Callable[[re.Match[str]], Request | None]]

_ALL = (
    r"(?:everything|all (?:of )?(?:the |my |your |that |this |those )?(?:stuff|things?|clutter|junk|items"
    r"|bits|mess|objects)"
    r"|the (?:stuff|things|clutter|junk|mess)|whatever|all that|all of it|the lot|anything"
    r"|all)(?: (?:that's|that is|which is|which are|that are"
    r"|is|are|you (?:can )?"
    r"(?:find|see)))?(?: (?:still|currently|lying|standing|sitting|left))*(?: around)?"
)
_OFF = r"(?:off of|off|from|on top of|on)"
_EVERYBODY = (
    r"(?:(?:everybody|everyone|each (?:one )?of (?:us|them|the \w+|you)|all of us|every one of us"
    r"|every (?:single )?(?:person|guest)"
    r"|each (?:single )?(?:person|guest)|us all|us each|the (?:whole family|guests)|all the guests"
    r"|all (?:the )?people)"
    r"(?: (?:here|present|in the (?:room|house|family)|who is here|at home|around|there|at the table))?)"
)
_HAND = r"(?:bring|give|get|fetch|hand|serve|pass|take|deliver|distribute)(?: out| round| around)?"
_HAVE = (
    r"(?:needs?|wants?|gets?|has|(?:would|'d) like|should (?:get|have)|is to (?:get|have)|deserves"
    r"|could (?:use|do with))"
)


def read_chore(words: str) -> Request | None:
    """Read a goal of this module; None if it is none, or if a name in it is not clear."""
    for pattern, make in _RULES:
        match = re.fullmatch(pattern, words, re.IGNORECASE)
        made = make(match) if match is not None else None
        if made is not None:
            return made
    return None


def _swap(match: re.Match[str]) -> Request | None:
    said = {key: plain(value) for key, value in match.groupdict().items()}
    crossed = "c" not in said or (same_term(said["a"], said["d"]) and same_term(said["b"], said["c"]))
    named = all(is_object(value) for value in said.values())
    return Swap(said["a"], said["b"]) if crossed and named else None


def _each(match: re.Match[str]) -> Request | None:
    number, rest = counted(match["what"])
    what, where = split_place(rest if number == 1 else match["what"])
    filled = isinstance(read_bring(match["what"], "me"), BringFilled)
    named = is_object(what) and (not where or is_place(where)) and number < 2 and not filled
    return BringEach(singular(what), where) if named else None


def _clear(match: re.Match[str]) -> Request | None:
    said = {key: plain(words or "") for key, words in match.groupdict().items()}
    surface, to = said["surface"] or said.get("surface2", ""), said.get("to", "")
    carried = singular(surface) != surface and is_object(surface)
    named = is_place(surface) and not carried and (not to or is_place(to))
    return Clear(surface, to) if named else None


def _tidy(match: re.Match[str]) -> Request | None:
    room = plain(match.groupdict().get("room") or "")
    return Tidy(room) if not room or is_place(room) else None


def _explore(match: re.Match[str]) -> Request | None:
    room = plain(match.groupdict().get("room") or "")
    return Explore(room) if not room or is_place(room) else None


def _describe(match: re.Match[str]) -> Request | None:
    return Describe(plain(match.groupdict().get("room") or ""))


def _set_table(match: re.Match[str]) -> Request | None:
    said = (match.groupdict().get("count") or "0").lower()
    count = NUMBERS.get(said, 0) or int(said if said.isdecimal() else 0)
    meal = _MEAL.search(match[0])
    return SetTable(count, meal[0].lower() if meal else "")


def _switch(match: re.Match[str]) -> Request | None:
    goals = [
        read_switch(item, match["way"].lower() in ("on", "start", "run")) for item in listed(match["what"])
    ]
    clear = all(map(_is_appliance, goals))
    verbless = len(goals) > 1 and "," in match["what"] and match.string.startswith(match["what"])
    if not (goals and clear) or verbless:
        return None
    return goals[0] if len(goals) == 1 else Sequence(tuple(goals))


def _is_appliance(goal: Switch) -> bool:
    """Return True if the name of what is switched, and of its place, can be one."""
    named = is_noun_phrase(goal.what) and goal.what.split()[0].lower() not in VERBS
    return named and not is_intangible(goal.what) and (not goal.where or is_place(goal.where))


def _press(match: re.Match[str]) -> Request | None:
    what = plain(match["what"])
    return Press(what) if is_noun_phrase(what) else None


_PLACES = r"(?:places|positions|locations|spots)"
_ELSEWHERE = r"(?:(?:up|over|away|back|down) )*(?:to|onto|into|in|on)"
_BUTTON = r"(?:(?:.+ )?(?:button|switch|knob|doorbell|bell|key|lever|trigger)(?: (?:on|of) .+)?)"
_COUNT = rf"(?P<count>{'|'.join(NUMBERS)}|\d{{1,2}})"
_MEAL = re.compile(r"breakfast|lunch|dinner|supper|tea|coffee", re.IGNORECASE)
_LAY = r"(?:set|lay|prepare)"
_HOME = (
    r"(?:(?:in |of |through |inside )?(?:(?:the|my|our|this|your|her|his) )?(?:(?:whole|entire) )?(?:home"
    r"|house|flat|apartment|place|surroundings|environment|rooms|floor plan)|(?:in |around )?here|everywhere"
    r"|everything)"
)
_KNOW = (
    r"what (?:do|can) you (?:already |currently |actually )?(?:know|remember|tell (?:me|us)|say)"
    r"(?: of| about)?"
    r"|what have you (?:seen|learned|learnt|mapped|explored|remembered)(?: so far| already)?"
    r"(?: of| about| in)?"
    r"|(?:tell|show) (?:me|us) (?:(?:what|everything|all) you (?:know|remember)(?: of| about)?|about)"
    r"|describe"
    r"|how (?:well|much) do you know(?: of| about)?"
)
_RULES: tuple[_Rule, ...] = (
    (
        (
            r"(?:(?:go (?:and )?|start )?(?:explore|exploring|scout(?: out)?|survey|map(?: out)?"
            r"|get to know)"
            r"|(?:familiarise|familiarize|acquaint) yourself with|(?:take|have|do"
            r"|go for) an? (?:\w+ )?(?:tour|wander|stroll|walk)"
            r" (?:of|through|round|around|about)"
            rf"|(?:make|draw|build) a map of)(?: (?:{_HOME}|(?P<room>(?!.* for ).+)))?"
        ),
        _explore,
    ),
    (
        (
            r"(?:go (?:and )?)?(?:(?:take|have) a (?:good |quick |proper )?)?look (?:around|round|about)"
            rf"(?: (?:a bit|properly|first))?(?: (?:{_HOME}"
            rf"|(?:in |(?=(?:(?:the|my|our|this) )?{ROOM}$))(?P<room>(?!.* for ).+)))?"
        ),
        _explore,
    ),
    (
        (
            rf"(?:{_KNOW})(?: (?:to )?me)? (?:{_HOME}|(?:(?:the|my|our|this) )?(?P<room>{ROOM}))"
            r"(?: (?:to|for) me)?"
        ),
        _describe,
    ),
    (rf"what(?:'s| is) (?:there )?in (?:(?:the|my|our|this) )?(?P<room>{ROOM})", _describe),
    (r"(?:which|what) rooms (?:do you know|are there|have you seen)(?: here)?", _describe),
    (
        (
            r"(?:swap|exchange|switch|trade)(?: around| over| round)? (?:the )?(?:(?:places?|positions?"
            r"|locations?) of )?"
            rf"(?P<a>.+?) (?:and|with|for) (?P<b>.+?)(?: (?:around|over|about|round|{_PLACES}))?"
        ),
        _swap,
    ),
    (
        (
            r"(?:(?:make|let|have|get|i want|i'd like|i would like|can|could"
            r"|may) )?(?P<a>.+?) and (?P<b>.+?) (?:should "
            r"|ought to |have to |needs? to |must )?(?:be )?"
            rf"(?:swap|trade|change|switch|exchange|swapped)(?: (?:{_PLACES}|around|over))?"
        ),
        _swap,
    ),
    (
        (
            r"(?:(?:put|move|place|i want"
            r"|i'd like) )?(?P<a>.+?) (?:goes )?where (?P<b>.+?) is(?: now)?,? and (?:put "
            r"|move )?(?P<c>.+?)"
            r" (?:goes )?where (?P<d>.+?) (?:is|was)(?: now)?"
        ),
        _swap,
    ),
    (r"(?:put|move|place) (?P<a>.+?) where (?P<b>.+?) is(?: now)?,? and vice versa", _swap),
    (rf"{_HAND} {_EVERYBODY} (?P<what>.+)", _each),
    (rf"{_HAND} (?P<what>.+?) (?:to|for) {_EVERYBODY}", _each),
    (rf"(?:make sure (?:that )?|see (?:to it )?that )?{_EVERYBODY} {_HAVE} (?P<what>.+)", _each),
    (rf"(?:(?:i|we) (?:want|need) )?(?P<what>.+?) for {_EVERYBODY}", _each),
    (rf"(?:we|us) (?:all|each) {_HAVE} (?P<what>.+)", _each),
    (r"(?P<what>(?!bring|get|give).+?) all round", _each),
    (rf"(?:{_HAND} (?:us )?)?(?P<what>(?:one|an?) .+?) (?:each|apiece|per person|a head)", _each),
    (
        (
            r"clear(?: off| out| away)? (?P<surface>.+?)(?: off| away)?(?:,? (?:and )?(?:(?:it|that"
            r"|this)(?: can| should|'ll)?(?: all)? go(?:es)?"
            r"|(?:drop|put|place|move|stick|take|chuck|pop|bring|dump|throw|set|leave|pile) (?:it|everything"
            r"|them|that|the lot)"
            rf"(?: all)?) {_ELSEWHERE} (?P<to>.+))?"
        ),
        _clear,
    ),
    (r"clear(?: off| out)? (?P<surface>.+?) (?:into|onto|to) (?P<to>.+)", _clear),
    (rf"clear {_ALL} {_OFF} (?P<surface>.+?)(?: {_ELSEWHERE} (?P<to>.+))?", _clear),
    (
        (
            r"(?:(?:take|get|remove|move|put|carry|bring|pick up|collect|grab|sweep|shift|i want|i'd like"
            rf"|have) )?{_ALL} {_OFF}"
            r" (?P<surface>.+?)(?:,? and (?:put|place|drop|move|take|stick|bring|set|dump) (?:it|them"
            r"|everything|that)(?: all)?"
            rf"|(?: can| should| has to)? go(?:es)?)? {_ELSEWHERE} (?P<to>.+)"
        ),
        _clear,
    ),
    (
        (
            rf"(?:(?:take|get|remove|clear|i want|i'd like|have|pick) )?{_ALL} (?:off of|off"
            r"|from) (?P<surface>.+)"
            rf"|(?:remove|clear|take)(?: away| off)? {_ALL} on (?P<surface2>.+)"
        ),
        _clear,
    ),
    (
        (
            r"empty (?P<surface>(?:the |my |our )?(?:\w+ )?(?:table|desk|counter|sofa|couch|bench|shelf"
            r"|worktop))"
        ),
        _clear,
    ),
    (
        (
            r"(?:tidy|tidy up|straighten up|neaten up|declutter|sort out|pick up|clear up"
            r"|clean up|put things away"
            r"|(?:do some|have a|do a) (?:tidying|tidy|tidy up))"
            r"(?: (?:in here|here|around here|this place|the place|the mess|everything|up|this mess|the house"
            r"|the flat|things))*"
        ),
        _tidy,
    ),
    (
        (
            r"clean (?:up )?(?:this|that|the) mess(?: up)?|put (?:all )?(?:the )?things (?:back |away )*"
            r"(?:where they belong|in(?:to)? their (?:right |proper )?places?)"
            r"|put (?:the )?things (?:back|away)"
        ),
        _tidy,
    ),
    (rf"(?:tidy|clean|clear|straighten|sort) up in (?P<room>(?:(?:the|my|our|this) )?{ROOM})", _tidy),
    (
        (
            rf"give (?:{_HOME}|(?P<room>(?:(?:the|my|our|this) )?{ROOM})) a"
            r" (?:\w+ )?(?:tidy|tidying|clean-up)(?: up)?"
        ),
        _tidy,
    ),
    (rf"sort (?:out )?(?P<room>(?:(?:the|my|our|this) )?{ROOM})(?: out)?", _tidy),
    (r"(?:tidy|straighten|declutter|neaten|clean up)(?: up)? (?P<room>.+?)(?: up)?", _tidy),
    (
        (
            r"(?:make|get|have) (?P<room>.+?) (?:neat and tidy|presentable|tidy|tidied(?: up)?|neat"
            r"|spick and span)(?: again)?"
        ),
        _tidy,
    ),
    (
        (
            r"(?:put |get |i want |move )?(?:everything|all (?:the )?(?:things|stuff)) (?:should be |goes "
            r"|needs to (?:be|go) |away )?"
            r"(?:back )?(?:(?:to )?where (?:it|they) belongs?|(?:in|to) (?:its|their) (?:right "
            r"|proper )?places?|away)"
        ),
        _tidy,
    ),
    (
        (
            rf"{_LAY} (?:the |a |our )?(?:dinner |dining |supper |breakfast |lunch "
            rf"|kitchen )?table(?: for(?: the)?(?: {_COUNT})?"
            r"(?: (?:people|persons|of us|guests|dinner|lunch|breakfast|supper|tonight))*)?"
        ),
        _set_table,
    ),
    (r"nothing (?:should|must|may|is to) be (?:left )?on (?P<surface>.+)", _clear),
    (rf"(?:the )?table(?: set| laid)? for {_COUNT}(?: people| of us| guests)?", _set_table),
    (
        (
            r"(?:(?:we|i) )?(?:get|have|need|want|would like) (?:the |a )?(?:dinner |dining )?table"
            r" (?:set|laid)"
            rf"(?: for {_COUNT}(?: people| of us| guests)?)?"
        ),
        _set_table,
    ),
    (rf"{_LAY} {_COUNT} places(?: (?:at|on) the (?:\w+ )?table| for \w+)?", _set_table),
    (
        (
            r"(?P<way>start|stop|run) (?P<what>.*(?:machine|dishwasher|washer|dryer|fan|heater|kettle|oven"
            r"|hoover|tv))"
        ),
        _switch,
    ),
    (r"(?:turn|switch|flick|click|flip|power|shut) (?P<way>on|off) (?P<what>.+)", _switch),
    (
        (
            r"put (?P<way>on|off) (?P<what>(?:the |my )?(?:\w+ )?"
            r"(?:fan|lights?|lamp|tv|telly|television|radio|heater))"
        ),
        _switch,
    ),
    (
        (
            r"(?:(?:turn|switch|put|flick|click|flip|power|get|have|shut|make sure|see that|i want|i'd like"
            r"|(?:can|could) i have) )?(?P<what>.+?(?<! is)(?<! are)) "
            r"(?:(?:turned|switched) )?(?P<way>on|off)(?: again)?"
        ),
        _switch,
    ),
    (
        r"(?:kill|cut) (?P<what>(?:the |all the )?(?:\w+ )?(?:lights?|lamps?|tv|telly|radio))(?P<way>)",
        _switch,
    ),
    (r"(?P<way>on|off) (?P<what>(?:the|my) .+)", _switch),
    (rf"(?:press|push|hit|tap|poke|ring)(?: (?:on|down))* (?P<what>{_BUTTON})", _press),
    (r"press (?P<what>.+)", _press),
    (rf"give (?P<what>{_BUTTON}) a (?:\w+ )?(?:press|push|tap|poke|prod)", _press),
)
