"""Spans of a recording are read from lines of OpenTelemetry's JSON exporter."""

import json

from openral_testing.recordings.spans import MAX_DEPTH, MAX_SPANS, read_spans


def line(name: str, begun: str, ended: str, parent: str | None = None, **attributes: object) -> str:
    return json.dumps(
        {
            "name": name,
            "context": {"trace_id": "0x1", "span_id": name, "trace_state": "[]"},
            "kind": "SpanKind.INTERNAL",
            "parent_id": parent,
            "start_time": f"1970-01-01T00:01:{begun}Z",
            "end_time": f"1970-01-01T00:01:{ended}Z",
            "attributes": attributes,
            "resource": {"attributes": {"service.name": "reasoner"}, "schema_url": ""},
        }
    )


def test_a_span_has_its_time_in_the_recording_its_outcome_and_its_depth() -> None:
    lines = [
        line("tool", "42.500000", "43.000000", "mission", **{"openral.status": "FOUND"}),
        line("mission", "41.000000", "49.000000"),
    ]
    outer, inner = read_spans(lines, 100.0, 10.0)
    assert (outer["name"], outer["start"], outer["duration"], outer["depth"]) == ("mission", 1.0, 8.0, 0)
    assert (inner["start"], inner["duration"], inner["depth"]) == (2.5, 0.5, 1)
    assert (inner["status"], inner["service"]) == ("FOUND", "reasoner")


def test_lines_that_are_no_spans_and_spans_of_another_time_are_left_out() -> None:
    lines = ["", "{", "[]", "{}", "[" * 100_000, line("early", "10.000000", "20.000000")]
    assert read_spans(lines, 100.0, 10.0) == []


def test_spans_that_are_parents_of_each_other_end_somewhere() -> None:
    lines = [line("a", "41.000000", "42.000000", "b"), line("b", "41.000000", "42.000000", "a")]
    assert [span["depth"] for span in read_spans(lines, 100.0, 10.0)] == [MAX_DEPTH, MAX_DEPTH]


def test_of_too_many_spans_the_longest_are_kept() -> None:
    lines = [line(f"s{each}", "41.000000", "41.100000") for each in range(MAX_SPANS)]
    found = read_spans([*lines, line("long", "42.000000", "43.000000")], 100.0, 10.0)
    assert len(found) == MAX_SPANS
    assert found[-1]["name"] == "long"
