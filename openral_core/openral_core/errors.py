"""Root of the error tree, and what bounds its messages.

OpenRALError
├── InvalidName, UnknownId          rskills.py
├── InvalidGeometry                 geometry.py
├── InvalidDetection                detectors.py
├── InvalidSceneGraph               spatial_memory.py
├── InvalidDocument                 documents.py
│   └── InvalidManifest             rskills.py
├── InvalidText                     parsing.py
└── further leaves in the modules that raise them
"""

from collections.abc import Iterable
from reprlib import Repr

MAX_MESSAGE = 2_000
"""Longest message of an error [bytes of UTF-8]."""
_HEAD = 1_300
"""Part of a longer message kept from its beginning [bytes]; the rest is from its end, which advises."""
MAX_CHOICES = 1_000
"""Length of the valid values in a message, after which they are counted [characters]."""


class OpenRALError(Exception):
    """Base of every error that this project raises deliberately; no message is longer than `MAX_MESSAGE`."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shortened(arg) if isinstance(arg, str) else arg for arg in args))


def shortened(message: str, most: int = MAX_MESSAGE) -> str:
    """Return a message of at most ``most`` [bytes], without its middle if it is longer."""
    if len(message) > 2 * most:
        message = message[:most] + message[-most:]
    data = message.encode(errors="backslashreplace")
    if len(data) <= most:
        return data.decode()
    head = _HEAD * most // MAX_MESSAGE
    tail = most - head - len(b" [...] ")
    return f"{data[:head].decode(errors='ignore')} [...] {data[-tail:].decode(errors='ignore')}"


class UnreadableArgument(OpenRALError):
    """Argument of a command line in another encoding than UTF-8."""

    def __init__(self, argument: str) -> None:
        super().__init__(
            f"the argument {quoted(argument)} is not UTF-8 text: set the terminal, or save the file that it "
            "comes from, to UTF-8"
        )


def check_arguments(arguments: Iterable[str]) -> None:
    """Refuse command-line arguments that nothing else could encode.

    Raises:
        UnreadableArgument: Naming the first one.
    """
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise UnreadableArgument(argument) from error


class _Quotation(Repr):
    """Bounded repr of any value: its cost is bounded too, however much the value unfolds to."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxdict, self.maxlist, self.maxtuple = 2, 4, 6, 6
        self.maxstring = self.maxother = 160

    def repr_int(self, value: int, level: int) -> str:
        """Return the number, or how long it is: Python refuses to print thousands of digits."""
        return repr(value) if value.bit_length() <= 64 else f"<integer of {value.bit_length()} bits>"


_quotation = _Quotation()


def quoted(value: object) -> str:
    """Return the repr of a value that came from outside, in some hundred characters at most."""
    return _quotation.repr(value)


def format_choices(values: Iterable[object]) -> str:
    """Format values for an error message: ``'a', 'b'``, or ``(none)``; of very many the first are named."""
    named: list[str] = []
    length = left_out = 0
    for value in values:
        text = quoted(str(value))
        if length + len(text) > MAX_CHOICES:
            left_out += 1
        else:
            named.append(text)
            length += len(text) + 2
    return ", ".join(named) + (f" and {left_out} more" if left_out else "") or "(none)"
