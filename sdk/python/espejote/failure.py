"""How a call ends without a result, and what the host does next.

==================================  ==========================  ====================================================
raised                              the owner                   tried again
==================================  ==========================  ====================================================
``InvalidConfig``                   not ready, stalled          when its config changes
``InvalidInput``, ``InvalidOutput``  not ready, stalled          when something that the call could read changes, and
                                                                at the longest back-off
``NotReady``                        reconciling, no event       with back-off, or after ``report.requeue_after``
anything else                       not ready                   with back-off; the traceback is in the operator's log
==================================  ==========================  ====================================================

Nothing that the call emitted is written. Messages are for people: which object or path, what was expected. No contents of
Secrets.
"""

from typing import Literal

FailureKind = Literal["invalid-config", "invalid-input", "invalid-output", "not-ready", "internal"]
UnavailableReason = Literal["unknown-name", "not-synced", "forbidden", "failed"]
LibraryErrorReason = Literal["invalid-path", "no-namespace", "no-library", "no-key", "unavailable", "failed"]


class Failure(Exception):
    """Ends the call. Raise one of its subclasses."""

    kind: FailureKind = "internal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotReady(Failure):
    """Something needed is not there yet."""

    kind = "not-ready"


class InvalidConfig(Failure):
    """The config cannot work."""

    kind = "invalid-config"


class InvalidInput(Failure):
    """Something read from the cluster cannot be used."""

    kind = "invalid-input"


class InvalidOutput(Failure):
    """The result breaks a rule."""

    kind = "invalid-output"


class Unavailable(Failure):
    """A context cannot be had. Never the same as "there are none".

    Not caught, it is ``not-ready`` while the context is not synced, else ``invalid-input``.
    """

    def __init__(self, reason: UnavailableReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.kind = "not-ready" if reason == "not-synced" else "invalid-input"


class LibraryError(Failure):
    """A file of a library cannot be read.

    Not caught, it is ``not-ready`` if libraries are unavailable now, else ``invalid-input``.
    """

    def __init__(self, reason: LibraryErrorReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.kind = "not-ready" if reason == "unavailable" else "invalid-input"
