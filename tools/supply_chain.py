"""Bill of materials of the installed packages, and known vulnerabilities in them.

Usage: tools/supply_chain.py sbom | audit. `make sbom` and `make audit` install the tools that it calls.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / ".environments" / "audit" / "bin"
PRODUCT = ROOT / ".venv"
SBOM = ROOT / "build" / "sbom.cdx.json"
REPORT = ROOT / "build" / "audit.json"
VULNERABLE = 1
"""Exit status if a package has a known vulnerability."""


def sbom() -> int:
    """Write the bill of materials, CycloneDX 1.6; return the exit status."""
    SBOM.parent.mkdir(parents=True, exist_ok=True)
    result = run(
        *(TOOLS / "cyclonedx-py", "environment", PRODUCT / "bin" / "python", "--output-reproducible"),
        *("--spec-version", "1.6", "--output-format", "JSON", "--output-file", SBOM),
    )
    if result.returncode:
        sys.stderr.write(f"cyclonedx-py failed: {last_line(result.stderr)}\n")
        return result.returncode
    components = json.loads(SBOM.read_text(encoding="utf-8"))["components"]
    sys.stdout.write(f"{SBOM}: {len(components)} packages\n")
    return 0


def audit() -> int:
    """Look up known vulnerabilities; without a network, report that nothing was audited."""
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.unlink(missing_ok=True)
    packages = next(PRODUCT.glob("lib/python3.*/site-packages"))
    result = run(
        *(TOOLS / "pip-audit", "--path", packages, "--progress-spinner", "off", "--timeout", "10"),
        *("--format", "json", "--output", REPORT),
    )
    try:
        report = json.loads(REPORT.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        sys.stdout.write(
            f"not audited, the vulnerability service is unreachable: {last_line(result.stderr)}\n"
        )
        return 0
    return conclude(report)


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a tool in the repository, and keep its messages."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def conclude(report: Mapping[str, Any]) -> int:
    """Print the vulnerabilities of a report of pip-audit; return the exit status."""
    known = [package for package in report["dependencies"] if "skip_reason" not in package]
    found = [(package, each) for package in known for each in package["vulns"]]
    for package, each in found:
        fixed = ", ".join(each["fix_versions"]) or "no version yet"
        sys.stdout.write(f"{package['name']} {package['version']}: {each['id']}, fixed in {fixed}\n")
    unknown = len(report["dependencies"]) - len(known)
    sys.stdout.write(
        f"{len(known)} packages audited, {len(found)} known vulnerabilities; "
        f"{unknown} packages unknown to the service, not audited\n"
    )
    return VULNERABLE if found else 0


def last_line(text: str) -> str:
    """Return the last line of a program's messages."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no message")


COMMANDS = {"sbom": sbom, "audit": audit}


def main(arguments: list[str]) -> int:
    """Run one command."""
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        sys.stderr.write(f"usage: tools/supply_chain.py {' | '.join(COMMANDS)}\n")
        return 2
    return COMMANDS[arguments[0]]()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
