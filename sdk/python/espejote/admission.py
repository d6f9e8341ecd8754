"""Decides on requests to the API server, and says what goes along with the answer."""

from dataclasses import dataclass
from typing import Any

from espejote import _check, host


@dataclass(frozen=True)
class Decision:
    """The answer to a request. A change needs ``mutating: true`` in the manifest."""

    allowed: bool
    #: For the user who sent the request.
    message: str = ""
    #: HTTP status code; 200 if allowed and 403 if not, if not given.
    code: int | None = None
    #: A JSON patch (RFC 6902).
    patch: list[dict[str, Any]] | None = None
    #: The whole object as it should be; the host works out the patch.
    object: dict[str, Any] | None = None


def allow(
    message: str = "", *, patch: list[dict[str, Any]] | None = None, object: dict[str, Any] | None = None
) -> Decision:
    """Let the request pass, with a change or without."""
    return Decision(True, message, patch=patch, object=object)


def deny(message: str, *, code: int = 403) -> Decision:
    """Refuse the request."""
    return Decision(False, message, code)


def warn(message: str) -> None:
    """Shown to the user who sent the request, by kubectl for example. At most 256 bytes are sure to be shown."""
    host.admission().warn(_check.text(message, "warning"))


def annotate(key: str, value: str) -> None:
    """Add to the audit event of the request."""
    host.admission().annotate(_check.text(key, "key of an annotation"), _check.text(value, f"annotation {key}"))
