"""Hypothesis strategies for JSON: what a schema allows, what it nearly allows, and anything else."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from fuzzing.message_values import FLOATS, LONG_TEXTS, TEXTS

Schema = Mapping[str, Any]
SURROGATES = ("\ud800", "mug\udfff", "\udc80" * 20)


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


ANYTHING: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from((0, 1, -1, 2**31, 2**63, -(2**63), 10**400)),
    st.sampled_from(FLOATS),
    st.sampled_from((*TEXTS, *SURROGATES, *LONG_TEXTS)),
    st.text(max_size=20),
    st.lists(st.none() | st.integers() | st.sampled_from(TEXTS), max_size=4),
    st.dictionaries(st.text(max_size=8), st.none() | st.floats() | st.text(max_size=8), max_size=3),
    st.integers(1, 300).map(_nested),
)


def arguments(schema: Schema) -> st.SearchStrategy[dict[str, Any]]:
    """Return objects for a schema: as it says, or with members that are odd, missing or unknown."""
    asked = _object(schema, schema.get("$defs", {}))
    names = sorted(schema.get("properties", {})) or ["x"]
    change = st.tuples(st.sampled_from([*names, "unknown", "__class__"]), st.booleans(), ANYTHING)
    return st.tuples(asked, st.lists(change, max_size=3)).map(lambda parts: _changed(*parts))


def _changed(value: dict[str, Any], changes: list[tuple[str, bool, Any]]) -> dict[str, Any]:
    changed = dict(value)
    for name, is_lost, odd in changes:
        changed.pop(name, None)
        if not is_lost:
            changed[name] = odd
    return changed


def _object(schema: Schema, definitions: Schema) -> st.SearchStrategy[dict[str, Any]]:
    required = set(schema.get("required", ()))
    parts = {name: _value(part, definitions) for name, part in schema.get("properties", {}).items()}
    return st.fixed_dictionaries(
        {name: part for name, part in parts.items() if name in required},
        optional={name: part for name, part in parts.items() if name not in required},
    )


def _value(schema: Schema, definitions: Schema) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _value(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions)
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return st.one_of([_value(part, definitions) for part in schema["anyOf"]])
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, definitions)
    if kind == "array":
        most = min(int(schema.get("maxItems", 3)), 3)
        return st.lists(_value(schema.get("items", {}), definitions), max_size=most)
    return _scalar(kind, schema)


def _scalar(kind: object, schema: Schema) -> st.SearchStrategy[Any]:
    low, high = schema.get("minimum", 0), schema.get("maximum", 1000)
    if kind == "integer":
        return st.integers(int(low), int(high))
    if kind == "number":
        return st.floats(float(low), float(high), allow_nan=False)
    if kind == "boolean":
        return st.booleans()
    if kind == "string":
        longest = int(schema.get("maxLength", 40))
        words = st.sampled_from(("mug", "red mug", "kitchen", "counter_1", "me", *TEXTS))
        return st.one_of(words, st.text(max_size=20)).map(lambda text: text[:longest])
    return ANYTHING if kind is None else st.none()
