"""Files whose structure is hostile, though each byte is in its place: texts that unfold, tables, messages."""

import json
import sqlite3
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

COUNTS = st.sampled_from((1, 2, 3, 10, 99, 101, 2_000))
WORDS = st.sampled_from(
    ("x", "y" * 5_000, '"\\ud800"', ".nan", "-.inf", "1e999", "9" * 400, "0x" + "f" * 40, "~")
)
TAGS = st.sampled_from(("!!int", "!!timestamp", "!!binary", "!!float", "!!omap", "!x"))
ODD = st.sampled_from(('"\\ud800"', "NaN", "-Infinity", "1e999", "9" * 5_000, "null", "true", '"x"'))


@st.composite
def yaml_values(draw: Any) -> str:
    """Return a value in YAML of one line: anchors, merges, deep, wide or long."""
    kind = draw(st.sampled_from(("aliases", "merges", "deep", "wide", "long", "cycle", "tag")))
    width, levels, leaf = draw(st.integers(1, 12)), draw(COUNTS), draw(WORDS)
    if kind == "aliases":
        repeated = [",".join([f"*a{number}"] * width) for number in range(levels - 1)]
        first = f"&a0 [{','.join([leaf] * width)}]"
        return f"[{', '.join([first, *(f'&a{n} [{each}]' for n, each in enumerate(repeated, 1))])}]"
    if kind == "merges":
        repeated = [",".join([f"*m{number}"] * width) for number in range(levels - 1)]
        rest = (f"&m{n} {{<<: [{each}], k{n}: {leaf}}}" for n, each in enumerate(repeated, 1))
        return f"[{', '.join(['&m0 {k: v}', *rest])}]"
    return {
        "deep": draw(st.sampled_from(("[", "{a: ", "- ", "? ", "!!set {"))) * (levels * width),
        "wide": f"[{','.join([leaf] * (levels * width))}]",
        "long": leaf * (levels * width),
        "cycle": f"&a [{leaf}, {{b: *a}}]",
        "tag": draw(st.sampled_from(("!!int", "!!timestamp", "!!binary", "!!float", "!!omap", "!x")))
        + f" {leaf}",
    }[kind]


@st.composite
def json_values(draw: Any) -> str:
    """Return a value in JSON: deep, wide, long, or one that breaks where it is used."""
    size = draw(COUNTS) * draw(st.integers(1, 60))
    odd = draw(
        st.sampled_from(('"\\ud800"', "NaN", "-Infinity", "1e999", "9" * 5_000, "null", "true", '"x"'))
    )
    kinds = {
        "deep": "[" * size + odd + "]" * size,
        "objects": '{"a":' * size + odd + "}" * size,
        "wide": "[" + ",".join([odd] * size) + "]",
        "long": '"' + "z" * (100 * size) + '"',
        "repeated": "{" + ",".join([f'"a": {odd}'] * size) + "}",
        "alone": odd,
    }
    return kinds[draw(st.sampled_from(tuple(kinds)))]


@st.composite
def unfolding(draw: Any, valid: bytes, kind: str) -> bytes:
    """Return a valid YAML or JSON document, of which one key has a value that unfolds, or another one."""
    values = yaml_values() if kind == "yaml" else json_values()
    content = yaml.safe_load(valid.decode())
    if not isinstance(content, dict) or draw(st.integers(0, 3)) == 0:
        return bytes(draw(values).encode())
    chosen = draw(st.sampled_from(sorted(map(str, content))))
    parts = [
        f"{json.dumps(key)}: {draw(values) if key == chosen else json.dumps(value, default=str)}"
        for key, value in content.items()
    ]
    return ("\n".join(parts) if kind == "yaml" else "{" + ",".join(parts) + "}").encode()


ENDLESS = "WITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n+1 FROM c) SELECT"
STATEMENTS = (
    f"DROP TABLE facts; CREATE VIEW facts AS {ENDLESS} n AS key, 'x' AS value FROM c",
    f"CREATE TRIGGER t AFTER INSERT ON facts BEGIN INSERT INTO merged {ENDLESS} n, n FROM c; END",
    "DROP TABLE merged; CREATE TABLE merged (id, into_id AS (hex(zeroblob(400000000))))",
    "INSERT INTO merged (id) VALUES (1)",
    "CREATE INDEX i ON objects (hex(label))",
    "INSERT OR REPLACE INTO facts VALUES ('home', zeroblob(1000000))",
    "PRAGMA user_version = 1",
)
CELLS = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(max_size=20), st.binary(max_size=20), st.none(),
    json_values(),
)  # fmt: skip


@st.composite
def tables(draw: Any, valid: bytes, file: Path) -> bytes:
    """Return a database with hostile statements, and with cells of any type."""
    file.write_bytes(valid)
    with closing(sqlite3.connect(file)) as database:
        names = [row[1] for row in database.execute("PRAGMA table_info(objects)")]
        for _ in range(draw(st.integers(1, 3))):
            try:
                if draw(st.booleans()):
                    cell = draw(CELLS)
                    database.execute(f"UPDATE objects SET {draw(st.sampled_from(names))} = ?", (cell,))
                else:
                    database.executescript(draw(st.sampled_from(STATEMENTS)))
            except (sqlite3.Error, UnicodeEncodeError):
                continue
        database.commit()
    return file.read_bytes()


@st.composite
def messages(draw: Any, valid: bytes) -> bytes:
    """Return a recording whose messages lie at any time, are cut, or are none."""
    stream = BytesIO()
    writer = Writer(stream, compression=draw(st.sampled_from(tuple(CompressionType))), chunk_size=2_000)
    writer.start("ros2", "")
    times = st.one_of(st.integers(0, 2**63), st.sampled_from((0, 1, 2**63 - 1, 2**64 - 1)))
    found = make_reader(BytesIO(valid)).iter_messages()
    for schema, channel, message in found:
        assert schema is not None
        known = writer.register_schema(schema.name, schema.encoding, schema.data)
        place = writer.register_channel(channel.topic, channel.message_encoding, known)
        data = message.data
        kind = draw(st.sampled_from(("same", "cut", "lie", "empty", "line")))
        data = {
            "same": data,
            "cut": data[: draw(st.integers(0, len(data)))],
            "lie": data[:4] + b"\xff\xff\xff\x7f" * 20,
            "empty": b"",
            "line": b"\0\1\0\0\5\0\0\0{[1]\0",
        }[kind]
        writer.add_message(place, draw(times), data, 0)
    writer.finish()
    return stream.getvalue()
