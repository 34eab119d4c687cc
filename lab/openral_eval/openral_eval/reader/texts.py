"""Parsers of the texts that a language model gets: prompt, tool listings, results.

The reader knows nothing else: no ids, skills, places or recipes of its own.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from openral_testing.model_server.answers import ModelRequest, UserText

_DATA = re.compile(r"<data>(.*?)</data>", re.DOTALL)
_GOAL = re.compile(r"Goal, in the operator's words: (\"(?:[^\"\\]|\\.)*\")")
_RECIPE = re.compile(r"^- To ([^:\n]+): ((?:[^\n]|\n  )*)", re.MULTILINE)
_OFFERED = re.compile(r"Search with (\w+) ([A-Z_]+) on a frontier id with (\w+)")
_LINE = re.compile(r"([^ :(]+)(?: \((.*?)\))?(?:: (.*))?", re.DOTALL)
"""Id, words of the core and label of a listed line."""
Row = Mapping[str, object]


def data_in(text: str) -> Iterator[Mapping[str, object]]:
    """Yield the data blocks of a text."""
    for block in _DATA.findall(text):
        content = json.loads(block)
        if isinstance(content, dict):
            yield content


def rows(content: Mapping[str, object], name: str) -> tuple[Row, ...]:
    """Return the objects of a list in data; none if there is no such list."""
    listed = content.get(name)
    return tuple(row for row in listed if isinstance(row, dict)) if isinstance(listed, list) else ()


def dict_of(value: object) -> Mapping[str, Any]:
    """Return a JSON object; anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def texts_of(content: Mapping[str, object], name: str) -> tuple[str, ...]:
    """Return the lines of a list in data; none if there is no such list."""
    listed = content.get(name)
    return tuple(line for line in listed if isinstance(line, str)) if isinstance(listed, list) else ()


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """Result of a tool call: its status, its sentence, and the lists in its data."""

    status: str
    text: str
    objects: tuple[Row, ...] = ()
    frontier: tuple[Row, ...] = ()

    @classmethod
    def of(cls, text: str) -> "ParsedReply":
        """Parse a result."""
        status, _, sentence = text.partition(": ")
        data = next(data_in(text), {})
        frontier = tuple({"id": line.split(":")[0]} for line in texts_of(data, "frontier") if ": " in line)
        return cls(status, sentence, rows(data, "found"), frontier)

    @property
    def search_call(self) -> tuple[str, str, str] | None:
        """Tool, verb and argument by which the reply says to go on searching; None if it does not."""
        offered = _OFFERED.search(self.text)
        return (offered[1], offered[2], offered[3]) if offered and self.frontier else None


def _room(words: str) -> str:
    return words.split(";")[0].removeprefix("in ")


def _kind(words: str) -> str:
    first = words.split(";")[0]
    return {"person": "agent", "room": "room"}.get(first, "place")


@dataclass(frozen=True)
class Texts:
    """Everything that one request says."""

    request: ModelRequest

    @cached_property
    def goal(self) -> str:
        """Goal in the operator's words; "" if no message tells it."""
        texts = (part.text for part in self.request.parts if isinstance(part, UserText))
        goal = next((match for text in texts if (match := _GOAL.search(text))), None)
        return str(json.loads(goal[1])) if goal else ""

    @cached_property
    def recipes(self) -> Mapping[str, str]:
        """Recipes of the system prompt by their heading ("To ...:")."""
        return {heading: " ".join(text.split()) for heading, text in _RECIPE.findall(self.request.system)}

    @cached_property
    def tools(self) -> frozenset[str]:
        """Names of the offered tools."""
        return frozenset(tool.name for tool in self.request.tools)

    @cached_property
    def skills(self) -> Mapping[str, str]:
        """Id of a skill by its verb, which is listed where the id does not say it."""
        verb = r"[A-Z]{4,}(?:_[A-Z]+)*"
        listed = {id_: next(iter(re.findall(verb, words)), "") for id_, words, _ in self._listed("skills")}
        return {
            listed.get(id_) or id_.upper().replace("-", "_"): id_
            for each in self.request.tools
            for id_ in dict_of(dict_of(each.schema.get("properties")).get("rskill_id")).get("enum", ())
        }

    @cached_property
    def places(self) -> Sequence[Row]:
        """Listed places, rooms and people; labels that are not listed are those of ids and rooms."""
        lines = [
            (id_, words, label or id_.rstrip("0123456789_").replace("_", " "))
            for id_, words, label in self._listed("places")
        ]
        labels = {id_: label for id_, _, label in lines}
        return tuple(
            {
                "id": id_,
                "label": label,
                "names": f"{id_}; {label}; {labels.get(_room(words), '')} {label}",
                "kind": _kind(words),
            }
            for id_, words, label in lines
        )

    def _listed(self, name: str) -> Iterator[tuple[str, str, str]]:
        for part in self.request.parts:
            for content in data_in(part.text) if isinstance(part, UserText) else ():
                for line in texts_of(content, name):
                    if match := _LINE.fullmatch(line):
                        yield match[1], match[2] or "", match[3] or ""

    def listed_id(self, words: str) -> str:
        """Return the id of a listed place, room or person with this name; "" if not exactly one has it."""
        plain = words.lower()
        named = [row for row in self.places if plain in str(row["names"]).lower().split("; ")]
        ends = [row for row in self.places if str(row["label"]).lower().split()[-1:] == [plain]]
        places = named or ends
        return str(places[0]["id"]) if len(places) == 1 else ""

    def kind_of(self, node: str) -> str:
        """Return the kind of a listed id, "" if it is not listed."""
        return next((str(row["kind"]) for row in self.places if row["id"] == node), "")

    def arguments(self, tool: str) -> tuple[str, ...]:
        """Return the names of a tool's arguments."""
        schema = next((each.schema for each in self.request.tools if each.name == tool), {})
        return tuple(dict_of(schema.get("properties")))
