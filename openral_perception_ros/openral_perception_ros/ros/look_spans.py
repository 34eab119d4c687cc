"""One span per request, open from its receipt to its answer."""

from opentelemetry.trace import Span

from openral_core.detectors import LocateResult
from openral_msgs.srv import LocateInView
from openral_ros.tracing import start_span


def look_span(request: LocateInView.Request) -> Span:
    """A span below the request's; never the current one, since requests overlap."""
    return start_span(
        "locate_in_view", request.traceparent, {"query": request.query, "camera": request.camera}
    )


def end_look(span: Span, result: LocateResult) -> None:
    """What the request ended in."""
    span.set_attribute("status", result.status.name)
    span.end()
