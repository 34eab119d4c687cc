"""`make real-data`: fetch the real data into the user's cache, or into the folder that is named."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from openral_core.errors import OpenRALError
from openral_testing.real_data.fetching import fetch_real_data, sources
from openral_testing.real_data.location import cache_folder


def fetch(
    folder: Annotated[str, typer.Option(help="target; empty = the user's cache")] = "",
    mirror: Annotated[
        str, typer.Option(help="address that has https://host/path as <mirror>/host/path")
    ] = "",
) -> None:
    """Fetch real photographs, depth, weights and chat templates (29 MB); print origins and licences."""
    target = Path(folder) if folder else cache_folder()
    for source in sources():
        print(f"{source.repository} {source.commit[:8]}: {source.licence}")
    try:
        fetch_real_data(target, mirror)
    except OpenRALError as error:
        sys.stderr.write(f"error: {error}\n")
        raise typer.Exit(1) from error
    print(f"real data: {target}")


if __name__ == "__main__":
    typer.run(fetch)
