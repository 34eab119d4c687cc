"""Complete calls that a model wrote as text, in the formats of the chat templates that people serve.

A marked call counts wherever it stands. An unmarked object counts only as the beginning or the end of the
text, and only with arguments that its tool has: anything else may be talk about a call.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from openral_reasoner.context import RawCall, ToolSchema
from openral_reasoner.llm.call_parts import offered_name, read_object

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)
_BRACKETED_THOUGHT = re.compile(r"\[THINK\].*?(?:\[/THINK\]|\Z)", re.DOTALL)
_UNOPENED_THOUGHT = re.compile(r"\A(?:(?!<think>).)*</think>", re.DOTALL)
_NAME = r"[\w.:-]{1,80}"
_MARKED = re.compile(
    r"<tool_calls?>(?P<tag>.*?)(?:</tool_calls?>|\Z)"
    r"|<\|tool_calls?(?:_start|_begin)?\|>(?P<special>.*?)(?:<\|/?tool_calls?(?:_end)?\|>|\Z)"
    r"|<function_?calls?>(?P<function>.*?)(?:</function_?calls?>|\Z)"
    rf"|(?P<named><function=(?:{_NAME})>.*?(?:</function>|\Z))"
    r"|\[TOOL_CALLS\]\s*(?P<mistral>.*?)(?=\[TOOL_CALLS\]|\Z)"
    r"|(?:<\|python_tag\|>|functools|<function_call>)\s*(?P<rest>.*)\Z"
    rf"|to=(?P<harmony>functions\.{_NAME}.*?<\|message\|>.*?)(?:<\|call\|>|\Z)",
    re.DOTALL,
)
_HEADED = re.compile(
    rf"<?(?:function=|functions\.)?(?P<name>{_NAME})\s*"
    r"(?:>|\[ARGS\]|<\|[^{]*\|>|\(|\n|\s(?=\{))?\s*(?P<body>\{.*)",
    re.DOTALL,
)
_XML = re.compile(rf"(?:<function=)?(?P<name>{_NAME})>?\s*(?P<body><(?:parameter|arg_key).*)", re.DOTALL)
_PARAMETER = re.compile(
    rf"<parameter=(?P<key>{_NAME})>(?P<value>.*?)</parameter>"
    r"|<arg_key>(?P<arg>.*?)</arg_key>\s*<arg_value>(?P<given>.*?)</arg_value>",
    re.DOTALL,
)
_FENCE = re.compile(r"```(?:json|tool_call|tool_code)?\s*\n(.*?)(?:```|\Z)", re.DOTALL)
_OWN_LINE = re.compile(r"^[\[{]", re.MULTILINE)
_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")
_DECODER = json.JSONDecoder()


def without_thoughts(text: str) -> str:
    """Return a text without the thoughts that a model wrote into it, also one that has not ended."""
    for pattern in (_THOUGHT, _BRACKETED_THOUGHT, _UNOPENED_THOUGHT):
        text = pattern.sub("", text)
    return text.strip()


@dataclass(frozen=True)
class OfferedTools:
    """Names of the offered tools with the names of their arguments: all, and those that are required."""

    arguments: Mapping[str, tuple[Set[str], Set[str]]]

    @classmethod
    def of(cls, tools: tuple[ToolSchema, ...]) -> "OfferedTools":
        """Read the schemas of the tools."""
        schemas = {tool.name: json.loads(tool.parameters) for tool in tools}
        return cls(
            {
                name: (frozenset(schema.get("properties", {})), frozenset(schema.get("required", ())))
                for name, schema in schemas.items()
            }
        )

    def fits(self, call: RawCall) -> bool:
        """Return True if an offered tool takes arguments of these names."""
        content = read_object(call.arguments)
        every, required = self.arguments.get(call.tool, (frozenset(), frozenset({""})))
        return content is not None and required <= content.keys() <= every

    def written_calls(self, text: str) -> tuple[RawCall, ...]:
        """Return the distinct complete calls in a text; none if another reading is possible."""
        text = without_thoughts(text)
        bodies = [next(filter(None, each.groups()), "") for each in _MARKED.finditer(text)]
        if bodies:
            calls = [call for body in bodies for call in self._calls(_unwrapped(body))]
        else:
            calls = [call for call in self._unmarked(text) if self.fits(call)]
        return tuple(dict.fromkeys(calls))

    def begins_with_call(self, text: str) -> int:
        """Return the length of the complete call that a text begins with [characters]; 0 if it has none."""
        text = without_thoughts(text)
        closed = re.match(r"<tool_call>.*?</tool_call>|```.*?\n.*?```", text, re.DOTALL)
        end = closed.end() if closed else _json_end(text)
        return end if end and self.written_calls(text[:end]) else 0

    def _unmarked(self, text: str) -> Iterator[RawCall]:
        """Yield the calls of an object that is the beginning of a text or its end, fenced or not."""
        if text[:1] in ("{", "[") and (end := _json_end(text)):
            yield from self._calls(text[:end])
            return
        fences = list(_FENCE.finditer(text))
        if len(fences) == 1 and (not text[fences[0].end() :].strip() or fences[0].start() == 0):
            yield from self._calls(fences[0][1].strip())
            return
        starts = [each.start() for each in _OWN_LINE.finditer(text)]
        if len(starts) == 1 and _json_end(text[starts[0] :]) == len(text[starts[0] :]):
            yield from self._calls(text[starts[0] :])
        elif not starts and re.fullmatch(rf"{_NAME}\(.*\)", text, re.DOTALL):
            yield from self._calls(text)

    def _calls(self, body: str) -> Iterator[RawCall]:
        if body[:1] in ("{", "["):
            end = _json_end(body)
            yield from self._of_json(json.loads(body[:end])) if end else self._of_python(body)
        elif parameters := _XML.fullmatch(body):
            named = {
                (each["key"] or each["arg"]).strip(): _value((each["value"] or each["given"] or "").strip())
                for each in _PARAMETER.finditer(parameters["body"])
            }
            yield from self._call(parameters["name"], named)
        elif (headed := _HEADED.fullmatch(body)) and (end := _json_end(headed["body"])):
            yield from self._call(headed["name"], json.loads(headed["body"][:end]))
        else:
            yield from self._of_python(f"[{body}]")

    def _of_json(self, content: object) -> Iterator[RawCall]:
        if isinstance(content, list):
            for each in content:
                yield from self._of_json(each)
        elif isinstance(content, dict):
            inner = content.get("tool_calls") or content.get("function_call") or content.get("function")
            if isinstance(inner, list | dict):
                yield from self._of_json(inner)
                return
            key = next((key for key in _NAMES if isinstance(content.get(key), str)), "")
            if key:
                rest = {name: value for name, value in content.items() if name not in (key, "id", "type")}
                arguments = next((rest[name] for name in _ARGUMENTS if name in rest), rest)
                yield from self._call(content[key], arguments)
            elif len(content) == 1:
                yield from self._call(*next(iter(content.items())))

    def _of_python(self, body: str) -> Iterator[RawCall]:
        """Yield the calls of a list such as ``[recall_object(query="mug")]``."""
        try:
            parsed = ast.parse(body.strip(), mode="eval").body
            for call in parsed.elts if isinstance(parsed, ast.List) else ():
                if isinstance(call, ast.Call) and not call.args:
                    named = {each.arg or "": ast.literal_eval(each.value) for each in call.keywords}
                    yield from self._call(ast.unparse(call.func), named)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            return

    def _call(self, name: str, arguments: object) -> Iterator[RawCall]:
        content = read_object(arguments) if isinstance(arguments, str) else arguments
        tool = offered_name([name], self.arguments.keys())
        if tool in self.arguments and isinstance(content, dict):
            present = {key: value for key, value in content.items() if value is not None}
            yield RawCall(tool=tool, arguments=json.dumps(present))


def _unwrapped(body: str) -> str:
    return body.strip().removeprefix("<tool_call>").strip()


def _json_end(text: str) -> int:
    """Return the length of the JSON value that a text begins with [characters]; 0 if it has none."""
    try:
        return _DECODER.raw_decode(text)[1]
    except (ValueError, RecursionError):
        return 0


def _value(text: str) -> object:
    """Return an argument that is written as JSON, or as plain text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
