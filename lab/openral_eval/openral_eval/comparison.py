"""Page that compares reports of `openral eval`: a row per suite and model, and what no report covers."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from openral_core.documents import Document, parse_document, read_json
from openral_eval.html_report import page, table
from openral_eval.report import pass_hat_text
from openral_eval.results_log import RunDescription
from openral_eval.statistics import Score, by_suite
from openral_eval.suites.tasks import TrialRecord
from openral_reasoner_ros.brains import Brain

HEAD = (
    *("suite", "model", "tasks", "trials", "success", "pass^1 to pass^8", "decisions", "tokens in"),
    *("cached", "tokens out", "median [s]", "p95 [s]", "memory [MB]", "machine"),
)
"""Tokens and latency are those of one decision, memory is the peak of the model's process."""


class Report(Document):
    """Report of one run, as `openral eval` writes it."""

    run: RunDescription
    machine: Mapping[str, str | float]
    memory: float | None = None
    trials: tuple[TrialRecord, ...]

    @property
    def name(self) -> str:
        """Model, its prompt, and the first seed."""
        model = next((each.model for each in self.trials if each.model), "")
        words = (self.run.brain, model if model not in self.run.brain else "", self.run.prompt)
        return ", ".join(filter(None, (*words, f"seed {self.run.seed}")))


def comparison(paths: Sequence[Path]) -> str:
    """Return the page of some reports.

    Raises:
        InvalidDocument: If a file is no report.
    """
    reports = [parse_document(Report, read_json(path), str(path)) for path in paths]
    rows = [row for report in reports for row in _rows(report)]
    kinds = {report.run.brain.split()[0] for report in reports if not report.run.base_url}
    missing = [each.value for each in Brain if each.value not in kinds]
    never = f"<p>Never reached, endpoints of one's own aside: brain {', '.join(missing) or 'none'}.</p>"
    return page("Models compared", table(HEAD, sorted(rows)) + never)


def _rows(report: Report) -> Iterator[tuple[str, ...]]:
    where = "{processor}, {cores} cores, load {load_before}".format_map(report.machine)
    memory = f"{report.memory:.0f}" if report.memory else ""
    for suite, score in by_suite(report.trials).items():
        yield (suite, report.name, *_figures(score), memory, where)


def _figures(score: Score) -> Iterator[str]:
    count = max(1, score.decisions)
    yield from (str(score.tasks), str(score.trials), f"{score.success:.1%}", pass_hat_text(score.pass_hat))
    yield from (str(score.decisions), f"{score.tokens_in / count:.0f}")
    yield from (f"{score.tokens_cached / max(1, score.tokens_in):.0%}", f"{score.tokens_out / count:.0f}")
    yield from (f"{score.median:.2f}", f"{score.p95:.2f}")
