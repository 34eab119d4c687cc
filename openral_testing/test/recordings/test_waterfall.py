"""Pictures of recorded spans."""

from openral_testing.recordings.spans import SpanRow
from openral_testing.recordings.waterfall import (
    COLORS,
    MARGIN,
    MAX_ROWS,
    NAMES,
    OTHER,
    ROW,
    WIDTH,
    draw_waterfall,
)


def row(name: str, start: float, duration: float, depth: int = 0, status: str = "") -> SpanRow:
    return {
        "name": name,
        "start": start,
        "duration": duration,
        "service": "reasoner",
        "status": status,
        "depth": depth,
    }


def bar(rows: list[SpanRow], index: int) -> tuple[int, int, str]:
    """First and last column of a bar, and its colour."""
    image = draw_waterfall(rows)
    line = [image.getpixel((x, MARGIN + ROW * (index + 1) + ROW // 2)) for x in range(NAMES + MARGIN, WIDTH)]
    wanted = [tuple(int(c[i : i + 2], 16) for i in (1, 3, 5)) for c in (*COLORS.values(), OTHER)]
    columns = [x for x, pixel in enumerate(line) if pixel in wanted]
    color = line[columns[0]]
    assert isinstance(color, tuple)
    return columns[0], columns[-1], "#" + "".join(f"{int(part):02x}" for part in color[:3])


def test_a_bar_begins_and_ends_with_its_span_and_has_the_colour_of_its_operation() -> None:
    rows = [
        row("invoke_agent openral", 10.0, 8.0, status="SUCCEEDED"),
        row("chat large", 12.0, 2.0, 1, "OK"),
        row("execute_tool recall_object", 14.0, 4.0, 1),
        row("lift", 15.0, 1.0, 2),
    ]
    first, last, color = bar(rows, 0)
    assert (first, color) == (0, COLORS["invoke_agent"])
    begun, ended, color = bar(rows, 1)
    assert color == COLORS["chat"]
    assert abs(begun - last / 4) < 3
    assert abs(ended - last / 2) < 3
    assert bar(rows, 2)[2] == COLORS["execute_tool"]
    assert bar(rows, 3)[2] == OTHER


def test_of_many_spans_the_longest_are_drawn() -> None:
    rows = [row(f"step {index}", float(index), 1.0 + index % 7) for index in range(3 * MAX_ROWS)]
    assert draw_waterfall(rows).height == 2 * MARGIN + ROW * (MAX_ROWS + 1)
    assert draw_waterfall([row("a name that is long " * 40, 0.0, 0.0)]).width == WIDTH
