"""Report of a run as one self-contained HTML page."""

from collections.abc import Iterable, Sequence
from html import escape

from openral_eval.report import HEAD, description_rows, failure_rows, suite_rows
from openral_eval.results_log import RunDescription
from openral_eval.statistics import by_suite
from openral_eval.suites.tasks import TrialRecord

_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #dde2ea; padding: .3rem .6rem; text-align: left; white-space: nowrap; }
td.wide { white-space: normal; min-width: 24rem; }
th { background: #f3f5f9; } tr.part td { color: #5b6575; }
svg text { font-size: 11px; fill: #5b6575; }
.bad { color: #b3261e; }
"""
_WIDTH, _HEIGHT, _MARGIN = 360, 160, 30
"""Size of the chart of one suite [px]."""


def html_report(run: RunDescription, records: Sequence[TrialRecord]) -> str:
    """Return the page; it loads nothing."""
    failed = [each for each in records if not each.success]
    body = [
        f"<h1>{escape(run.brain)}</h1>",
        _table(HEAD, suite_rows(records)),
        "<h2>pass^k</h2>",
        *(_chart(name, each.pass_hat) for name, each in by_suite(records).items()),
        "<h2>Failures</h2>",
        _table(("suite", "failure", "trials"), failure_rows(records)) if failed else "<p>none</p>",
        _table(
            ("trial", "goal", "failure", "detail"),
            [(each.key, each.goal, each.failure, each.detail) for each in failed],
        )
        if failed
        else "",
        "<h2>Run</h2>",
        _table(("option", "value"), description_rows(run)),
    ]
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<title>Evaluation: {escape(run.brain)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    headings = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(map(_row, rows))
    return f"<div class='scroll'><table><tr>{headings}</tr>{lines}</table></div>"


def _row(cells: Sequence[str]) -> str:
    kind = " class='part'" if ": " in cells[0] else ""
    return f"<tr{kind}>{''.join(map(_cell, cells))}</tr>"


def _cell(text: str) -> str:
    wide = " class='wide'" if len(text) > 60 else ""
    return f"<td{wide}>{escape(text)}</td>"


def _chart(suite: str, values: Sequence[float]) -> str:
    """Draw pass^k over k from 0 to 1."""
    inner_width, inner_height = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN
    step = inner_width / max(1, len(values) - 1)
    points = [
        (_MARGIN + step * index, _HEIGHT - _MARGIN - value * inner_height)
        for index, value in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='#2b5fd9'/>" for x, y in points)
    labels = "".join(
        f"<text x='{x:.1f}' y='{_HEIGHT - 10}' text-anchor='middle'>{index}</text>"
        f"<text x='{x:.1f}' y='{y - 6:.1f}' text-anchor='middle'>{value:.2f}</text>"
        for index, ((x, y), value) in enumerate(zip(points, values, strict=True), start=1)
    )
    base = _HEIGHT - _MARGIN
    return (
        f"<svg width='{_WIDTH}' height='{_HEIGHT}' role='img' aria-label='pass^k of {escape(suite)}'>"
        f"<text x='{_MARGIN}' y='12'>{escape(suite)}</text>"
        f"<line x1='{_MARGIN}' y1='{base}' x2='{_WIDTH - _MARGIN}' y2='{base}' stroke='#dde2ea'/>"
        f"<polyline points='{line}' fill='none' stroke='#2b5fd9' stroke-width='2'/>{dots}{labels}</svg>"
    )
