"""Libraries that are imported when they are first used, so that a node at rest does not hold them."""

from importlib import import_module
from types import ModuleType


class LazyModule(ModuleType):
    """Stand-in for a library until an attribute of it is used."""

    def __getattr__(self, name: str) -> object:
        """Import the library, and return its attribute."""
        return getattr(import_module(self.__name__), name)


def lazy_module(name: str) -> ModuleType:
    """Return a library that is imported when one of its attributes is first used.

    A library that is missing raises `ImportError` then. SciPy needs no such help: it imports its own packages
    when they are used, as in ``scipy.ndimage.label``.
    """
    return LazyModule(name)
