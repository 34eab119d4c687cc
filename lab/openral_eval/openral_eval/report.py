"""Report of a run as Markdown: a row per suite and category, failures, and how it was made."""

from collections.abc import Iterable, Mapping, Sequence

from openral_eval.results_log import RunDescription
from openral_eval.statistics import Score, by_category, by_suite
from openral_eval.suites.tasks import TrialRecord

HEAD = (
    "suite",
    "tasks",
    "trials",
    "success",
    "done",
    "pass^k",
    "SPL",
    "steps",
    "decisions",
    "malformed",
    "refused",
    "tokens in",
    "cached",
    "tokens out",
    "US$",
    "median [s]",
    "p95 [s]",
)
MAX_FAILURES = 40
"""Most failed trials that are listed one by one."""


def row(name: str, score: Score) -> tuple[str, ...]:
    """Return the cells of a group of trials."""
    share = score.tokens_cached / score.tokens_in if score.tokens_in else 0.0
    return (
        name,
        str(score.tasks),
        str(score.trials),
        f"{score.success:.1%}",
        f"{score.completion:.3f}",
        pass_hat_text(score.pass_hat),
        f"{score.spl:.3f}" if score.spl is not None else "",
        f"{score.steps:.1f}",
        str(score.decisions),
        str(score.malformed),
        str(score.refused),
        str(score.tokens_in),
        f"{share:.0%}" if score.tokens_in else "",
        str(score.tokens_out),
        f"{score.cost:.4f}" if score.cost is not None else "unknown",
        f"{score.median:.3f}",
        f"{score.p95:.3f}",
    )


def pass_hat_text(values: Sequence[float]) -> str:
    """Return pass^1, pass^2, ... in one cell."""
    return " ".join(f"{value:.2f}" for value in values)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(map(_cell, cells)) + " |" for cells in (head, *rows)]
    return "\n".join((lines[0], "|---" * len(head) + "|", *lines[1:]))


def _cell(text: str) -> str:
    return text.replace("|", "/").replace("\n", " ")


def suite_rows(records: Sequence[TrialRecord]) -> list[tuple[str, ...]]:
    """Return a row for each suite, each followed by its categories if it has several."""
    categories, rows = by_category(records), list[tuple[str, ...]]()
    for suite, total in by_suite(records).items():
        rows.append(row(suite, total))
        inside = {category: s for (name, category), s in categories.items() if name == suite}
        if len(inside) > 1:
            rows += [row(f"{suite}: {category}", each) for category, each in inside.items()]
    return rows


def failure_rows(records: Iterable[TrialRecord]) -> list[tuple[str, ...]]:
    """Return a row for each category of failure of each suite."""
    return [
        (suite, category, str(count))
        for suite, score in by_suite(records).items()
        for category, count in score.failures.items()
    ]


def description_rows(run: RunDescription) -> list[tuple[str, str]]:
    """Return what figures depend on."""
    shown: Mapping[str, object] = run.model_dump(mode="json")
    options = {
        name: value for name, value in shown.items() if name != "fingerprint" and value not in ("", [])
    }
    hashes = {f"hash of {name}": value for name, value in run.fingerprint.model_dump().items()}
    return [(name, str(value)) for name, value in {**options, **hashes}.items()]


def markdown_report(run: RunDescription, records: Sequence[TrialRecord]) -> str:
    """Return the whole report."""
    parts = [f"# {run.brain}", markdown_table(HEAD, suite_rows(records))]
    if failures := failure_rows(records):
        parts.append(markdown_table(("suite", "failure", "trials"), failures))
        failed = [each for each in records if not each.success][:MAX_FAILURES]
        listed = [(each.key, each.goal, each.failure, each.detail) for each in failed]
        parts.append(markdown_table(("trial", "goal", "failure", "detail"), listed))
    parts.append(markdown_table(("run", ""), description_rows(run)))
    return "\n\n".join(parts) + "\n"
