"""Picture of recorded spans: one row each, indented by its level, with a bar for its time."""

from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from openral_testing.recordings.spans import SpanRow

MAX_ROWS = 60
"""Most spans that are drawn; the longest ones."""
WIDTH, ROW, MARGIN, NAMES, INDENT = 1400, 20, 16, 400, 16
"""Width, height of a row, margin, width of the names and indent per level [px]."""
TICKS = 8  # Marks of the time axis.
SIZE = 13
"""Height of the letters [px]."""
COLORS = {"invoke_agent": "#4c6ef5", "chat": "#ae3ec9", "execute_tool": "#2b8a3e"}
"""Bars by the operation with which the name of a span begins."""
OTHER, TEXT, GRID = "#868e96", "#212529", "#dee2e6"


def draw_waterfall(rows: Sequence[SpanRow]) -> Image.Image:
    """Draw spans over a common axis of time.

    Args:
        rows: Spans by their beginning; their times are in [s].
    """
    longest = sorted(rows, key=lambda row: -row["duration"])[:MAX_ROWS]
    shown = [row for row in rows if any(row is each for each in longest)]
    start = min((row["start"] for row in shown), default=0.0)
    end = max((row["start"] + row["duration"] for row in shown), default=1.0)
    image = Image.new("RGB", (WIDTH, 2 * MARGIN + ROW * (len(shown) + 1)), "white")
    pencil = ImageDraw.Draw(image)
    scale = (WIDTH - NAMES - 2 * MARGIN) / max(end - start, 1e-3)
    _draw_axis(pencil, end - start, scale, image.height)
    for index, row in enumerate(shown, start=1):
        _draw_row(pencil, row, MARGIN + ROW * index, NAMES + MARGIN + (row["start"] - start) * scale, scale)
    return image


def _draw_axis(pencil: ImageDraw.ImageDraw, duration: float, scale: float, height: int) -> None:
    font = ImageFont.load_default(SIZE)
    for tick in range(TICKS + 1):
        seconds = duration * tick / TICKS
        x = NAMES + MARGIN + seconds * scale
        pencil.line((x, MARGIN + ROW, x, height - MARGIN), fill=GRID)
        pencil.text((x, MARGIN), f"{seconds:.1f} s", fill=TEXT, font=font, anchor="ra" if tick else "la")


def _draw_row(pencil: ImageDraw.ImageDraw, row: SpanRow, top: int, begin: float, scale: float) -> None:
    font = ImageFont.load_default(SIZE)
    color = COLORS.get(row["name"].partition(" ")[0], OTHER)
    name = f"{row['name']} ({row['service']})" if row["service"] else row["name"]
    indent = MARGIN + INDENT * row["depth"]
    while font.getlength(name) > NAMES - indent and len(name) > 1:
        name = name[:-2] + "…"
    pencil.text((indent, top + 3), name, fill=TEXT, font=font)
    right = begin + max(2.0, row["duration"] * scale)
    pencil.rectangle((begin, top + 4, right, top + ROW - 4), fill=color)
    caption = f"{row['duration']:.2f} s {row['status']}".strip()
    room = WIDTH - MARGIN - right > font.getlength(caption) + 6
    spot, anchor = (right + 6, "la") if room else (begin - 6, "ra")
    if room or begin - NAMES - MARGIN > font.getlength(caption):
        pencil.text((spot, top + 3), caption, fill=TEXT, font=font, anchor=anchor)
