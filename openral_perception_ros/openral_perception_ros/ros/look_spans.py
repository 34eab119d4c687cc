"""One span per request, open from its receipt to its answer."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.trace import Span

from openral_msgs.srv import LocateInView
from openral_ros.tracing import start_span


@contextmanager
def look_span(request: LocateInView.Request) -> Iterator[Span]:
    """A span below the request's; never the current one, since requests overlap on one thread."""
    span = start_span(
        "locate_in_view", request.traceparent, {"query": request.query, "camera": request.camera}
    )
    try:
        yield span
    finally:
        span.end()
