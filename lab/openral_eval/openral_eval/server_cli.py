"""`openral model-server`: a local model endpoint that answers as a file says, or with the reader."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    pass


READER = "reader"
commands = typer.Typer(no_args_is_help=True)


@commands.command(name="model-server")
def model_server(
    answers: Annotated[
        str, typer.Option(help="'reader', or a YAML file of scripted and faulty answers")
    ] = READER,
    port: Annotated[int, typer.Option(min=0, max=65535, help="on loopback; 0 takes a free one")] = 0,
) -> None:
    """Serve a local model endpoint on loopback that speaks both vendors' protocols.

    Anthropic Messages and OpenAI chat completions, streamed or not, with the token counts that the vendors'
    prompt caches would report (estimated at four characters per token). The reader decides from the texts of
    a request alone. Runs until interrupted.
    """
    from openral_eval.answer_file import responder_of
    from openral_testing.model_server.answers import Vendor
    from openral_testing.model_server.server import serving

    with serving(responder_of(answers), port) as (server, _):
        urls: Mapping[str, str] = {vendor.value: server.base_url(vendor) for vendor in Vendor}
        for vendor, url in urls.items():
            typer.echo(f"--brain {vendor} --model reader --base-url {url}")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            typer.echo("stopped", err=True)
