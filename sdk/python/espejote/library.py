"""Files that people keep in JsonnetLibrary objects.

A path is ``<library>/<key>`` in the owner's namespace, or ``lib/<library>/<key>`` in the library namespace of the operator.
All files are of one instant. A change of a library starts no reconcile by itself.
"""

from typing import Any

from espejote import _check, host
from espejote.exact import loads
from espejote.failure import InvalidInput
from espejote.object_id import Revision


def read(path: str) -> bytes:
    """The bytes of a file. Raises ``LibraryError``."""
    return host.library().read(_check.text(path, "path of a library file"))


def read_text(path: str) -> str:
    """The text of a file. Raises ``LibraryError``, or ``InvalidInput`` if it is no UTF-8."""
    try:
        return read(path).decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"library file {path!r} is no UTF-8 text") from None


def read_json(path: str) -> Any:
    """What a JSON file holds. Raises ``LibraryError``, or ``InvalidInput`` if it is no JSON."""
    text = read_text(path)
    try:
        return loads(text)
    except ValueError as error:
        raise InvalidInput(f"library file {path!r}: {error}") from error


def revision_of(path: str) -> Revision:
    """Tell, without reading the file, whether what a kept instance remembers of it is still right. Raises ``LibraryError``."""
    return host.library().revision_of(_check.text(path, "path of a library file"))
