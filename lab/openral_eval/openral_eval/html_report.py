"""Report of a run as one self-contained HTML page."""

from collections.abc import Iterable, Sequence
from html import escape

from openral_eval.report import HEAD, description_rows, failure_rows, suite_rows
from openral_eval.results_log import RunDescription
from openral_eval.suites.tasks import TrialRecord

_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #dde2ea; padding: .3rem .6rem; text-align: left; white-space: nowrap; }
td.wide { white-space: normal; min-width: 24rem; }
th { background: #f3f5f9; } tr.part td { color: #5b6575; }
"""


def html_report(run: RunDescription, records: Sequence[TrialRecord]) -> str:
    """Return the page; it loads nothing."""
    failed = [(each.key, each.goal, each.failure, each.detail) for each in records if not each.success]
    body = [
        table(HEAD, suite_rows(records)),
        "<h2>Failures</h2>",
        table(("suite", "failure", "trials"), failure_rows(records)) if failed else "<p>none</p>",
        table(("trial", "goal", "failure", "detail"), failed) if failed else "",
        "<h2>Run</h2>",
        table(("option", "value"), description_rows(run)),
    ]
    return page(run.brain, "".join(body))


def page(title: str, body: str) -> str:
    """Return a page that loads nothing."""
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<title>Evaluation: {escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    headings = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(map(_row, rows))
    return f"<div class='scroll'><table><tr>{headings}</tr>{lines}</table></div>"


def _row(cells: Sequence[str]) -> str:
    kind = " class='part'" if ": " in cells[0] else ""
    return f"<tr{kind}>{''.join(map(_cell, cells))}</tr>"


def _cell(text: str) -> str:
    wide = " class='wide'" if len(text) > 60 else ""
    return f"<td{wide}>{escape(text)}</td>"
