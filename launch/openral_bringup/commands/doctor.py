"""`openral doctor`."""

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from openral_bringup.checks import CHECKS, Verdict, conclusion

COLOURS = {Verdict.GOOD: "green", Verdict.LIMITED: "yellow", Verdict.BAD: "red"}


def doctor() -> None:
    """Check whether this machine can run the graph; exit code 1 when it cannot."""
    findings = [check() for check in CHECKS]
    table = Table("check", "verdict", "found", "what to do")
    for each in findings:
        colour = COLOURS[each.verdict]
        verdict = Text(each.verdict.value, style=colour)
        table.add_row(Text(each.what), verdict, Text(each.found), Text(each.advice))
    console = Console()
    console.print(table)
    console.print(Text(conclusion(findings)))
    if any(each.verdict is Verdict.BAD for each in findings):
        raise typer.Exit(1)
