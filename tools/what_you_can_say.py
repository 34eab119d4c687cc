"""Write the page of example sentences, `docs/what-you-can-say.md`, from the templates of the reader.

Each example is an expansion of a template with words of the demonstration's home, which
`what_you_can_say.yaml` has, and is printed only if the reader understands it. Needs the built environment.
Usage: tools/env python tools/what_you_can_say.py.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice, repeat
from pathlib import Path

from hassil import parse_sentence
from hassil.expression import Sentence as Template
from hassil.sample import sample_sentence
from pydantic import BaseModel

from openral_core.documents import Document
from openral_core.parsing import parse_yaml
from openral_reasoner.request.goals import is_understood
from openral_reasoner.request.saying import in_words
from openral_reasoner.sentences import read_sentence
from openral_reasoner.sentences.language import FOLDER

PAGE = Path(__file__).resolve().parents[1] / "docs" / "what-you-can-say.md"
MAX_EXPANSIONS = 100_000
"""Most expansions of one template that are searched for a wording: a second's work."""
HEAD = ("| | say | understood, if in other words |", "|---|---|---|")
SLOT = re.compile(r"{(\w+)}")
_parsed = cache(parse_sentence)


class Group(Document):
    """Intents that mean much the same, and the robot's answer to them."""

    title: str
    does: str
    intents: tuple[str, ...]


class Spoken(Document):
    """One language: its contractions by their words in templates, and the words of examples by intent."""

    name: str
    contractions: Mapping[str, str]
    examples: Mapping[str, tuple[Mapping[str, str], ...]]


class Content(Document):
    """Data of the page."""

    before: str
    groups: tuple[Group, ...]
    after: str
    languages: Mapping[str, Spoken]


class Templates(BaseModel):
    """Templates of a language by intent, as its file has them, and the rules that they name."""

    intents: Mapping[str, tuple[str, ...]]
    expansion_rules: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence that is understood, and the words in which the robot repeats it."""

    intent: str
    sentence: str
    understood: str

    @property
    def other_words(self) -> str:
        """The repetition, "" if it is the sentence itself."""
        return "" if self.understood == self.sentence else self.understood


@cache
def load_content() -> Content:
    """Read the words of the page."""
    return Content.model_validate(parse_yaml(Path(__file__).with_suffix(".yaml").read_text("utf-8")))


@cache
def load_templates(code: str) -> Templates:
    """Read the templates of a language with their accents, which the reader leaves out."""
    return Templates.model_validate(parse_yaml(FOLDER.joinpath(f"{code}.yaml").read_text("utf-8")))


@cache
def examples(code: str) -> Mapping[str, tuple[Example, ...]]:
    """Return the examples of a language by intent."""
    return {intent: tuple(_examples(code, intent)) for intent in load_content().languages[code].examples}


def _examples(code: str, intent: str) -> Iterator[Example]:
    """Yield for each set of words the first new sentence that is understood."""
    printed: set[str] = set()
    for words in load_content().languages[code].examples[intent]:
        for sentence in _sentences(code, intent, words):
            request = read_sentence(sentence)
            if sentence not in printed and is_understood(request):
                printed.add(sentence)
                yield Example(intent, sentence, in_words(request))
                break


def _sentences(code: str, intent: str, words: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence of each template that has exactly the slots of the words, in the file's order."""
    templates, contractions = load_templates(code), load_content().languages[code].contractions
    rules = {name: _parsed(text) for name, text in templates.expansion_rules.items()}
    slots = {name: word for name, word in words.items() if name not in ("wording", "within")}
    for template in map(_parsed, templates.intents[intent]):
        if not slots.keys() <= set(template.list_names(rules)):
            continue
        wordings = _wordings(template, rules, words.get("wording", ""))
        wording = next((each for each in wordings if set(SLOT.findall(each)) == slots.keys()), None)
        if wording is not None:
            sentence = words.get("within", "{}").format(wording.format(**slots))
            for apart, contracted in contractions.items():
                sentence = re.sub(rf"(?<!\w){apart}", contracted, sentence)
            yield sentence


def _wordings(template: Template, rules: dict[str, Template], wanted: str) -> Iterator[str]:
    """Yield expansions with their slots: short ones first, and only the wanted one if it is stated."""
    required = template.get_required_clauses(rules) if wanted else ()
    text = wanted.replace(",", " /").casefold()
    if not all(any(word in text for word in choice) for choice in required):
        return
    sample = partial(sample_sentence, template, expansion_rules=rules, expand_lists=False)
    ways = chain(sample(skip_optionals=True), sample(skip_optionals=False))
    for expansion in islice(ways, MAX_EXPANSIONS):
        wording = " ".join(expansion.replace(" / ", ", ").split())
        if wanted in ("", wording):
            yield wording


def page() -> str:
    """Return the page: a table in English with what is understood, and one of the other languages."""
    content = load_content()
    english, *others = content.languages
    table = [f"## {content.languages[english].name}", "", *HEAD]
    for group in content.groups:
        heads = chain([f"**{group.title}.** {group.does}"], repeat(""))
        rows = zip(heads, _of_group(english, group), strict=False)
        table += [_row(head, example.sentence, example.other_words) for head, example in rows]
    names = [content.languages[code].name for code in others]
    table += ["", "## Other languages", "", _row("", *names), "|---" * len(content.languages) + "|"]
    for group in content.groups:
        cells = ["<br>".join(each.sentence for each in _of_group(code, group)) for code in others]
        table += [_row(group.title, *cells)] if any(cells) else []
    return "\n".join([content.before, *table, "", content.after])


def _of_group(code: str, group: Group) -> Iterator[Example]:
    return (example for intent in group.intents for example in examples(code).get(intent, ()))


def _row(*cells: str) -> str:
    return " ".join(["|", " | ".join(cells), "|"])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
