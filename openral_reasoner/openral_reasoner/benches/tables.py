"""Scores as a Markdown table."""

from collections.abc import Sequence

from openral_reasoner.benches.search import SearchScore

HEAD = (
    "| searcher | homes | success where present | SPL | looks when found | way when found [m] "
    "| hand-off precision | absent: handed over |\n|---|---|---|---|---|---|---|---|"
)


def search_table(scores: Sequence[SearchScore]) -> str:
    """One row per searcher."""
    rows = (
        f"| {s.searcher} | {s.homes} | {s.success:.1%} | {s.spl:.3f} | {s.looks:.1f} | {s.way:.1f} "
        f"| {s.handoff_precision:.1%} | {s.absent_handed_over:.1%} |"
        for s in scores
    )
    return "\n".join((HEAD, *rows))
