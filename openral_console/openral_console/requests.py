"""Values of a command, as a page sent them."""

from openral_console.source import RejectedCommand


def text_of(values: object, name: str, longest: int = 4000, required: bool = True) -> str:
    """Return a text of a request.

    Raises:
        RejectedCommand: If it is missing, empty, too long, or not text.
    """
    value = values.get(name, "") if isinstance(values, dict) else None
    if not isinstance(value, str) or len(value) > longest or (required and not value.strip()):
        found = (
            "nothing" if value in ("", None) else f"{type(value).__name__} of {len(str(value))} characters"
        )
        raise RejectedCommand(f"{name}: expected text of 1 to {longest} characters, found {found}")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise RejectedCommand(f"{name}: expected Unicode text, found half of a surrogate pair")
    return value


def number_of(values: object, name: str) -> float:
    """Return a finite number of a request.

    Raises:
        RejectedCommand: If it is missing or not a finite number.
    """
    value = values.get(name) if isinstance(values, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0.0:
        raise RejectedCommand(f"{name}: expected a number, found {str(value)[:40]!r}")
    return float(value)
