"""What to tell about this reconcile, beside what it emits. Taken whether the call succeeds or fails.

Reports are kept for each trigger and object, and the status shows one of them: for a condition of the same type, false before
unknown before true. So give conditions a positive sense: ``Synced``, not ``OutOfSync``.
"""

import math
from datetime import timedelta
from typing import Any

from espejote import _check, host
from espejote.exact import dumps

_LONGEST = 2**32 - 1


def requeue_after(time: timedelta | float) -> None:
    """Reconcile the same trigger and object again after this time (a number is of seconds), also if nothing changes. After a
    failure it takes the place of the back-off. The host may make it longer; a change that comes earlier is not held up.
    Rounded up to a millisecond, cut at 49 days."""
    if not isinstance(time, timedelta):
        time = timedelta(seconds=time)
    milliseconds = math.ceil(time / timedelta(milliseconds=1))
    if milliseconds < 0:
        raise ValueError(f"requeue_after({time}): expected no negative time")
    host.report().requeue_after(min(milliseconds, _LONGEST))


def message(text: str) -> None:
    """One sentence for people, shown with ``Ready``."""
    host.report().set_message(_check.text(text, "message"))


def condition(type: str, status: bool | None, reason: str, message: str) -> None:
    """Set one condition in the owner's status (``None``: unknown); conditions that are not set again are removed.

    ``type`` and ``reason`` are CamelCase words; ``Ready``, ``Reconciling`` and ``Stalled`` are the host's.
    """
    what = f"condition {_check.text(type, 'type of a condition')}"
    word = "unknown" if status is None else str(_check.boolean(status, f"{what}, status")).lower()
    texts = _check.text(reason, f"{what}, reason"), _check.text(message, f"{what}, message")
    host.report().set_condition(type, word, *texts)


def waiting(reason: str, message: str) -> None:
    """What was emitted is right, but the whole is not there yet: the owner is ``Reconciling`` and not ``Ready``."""
    host.report().set_waiting(_check.text(reason, "reason to wait"), _check.text(message, "message about waiting"))


def document(document: Any) -> None:
    """The result in the plugin's own form: ``espejote render`` prints it instead of the items emitted. Never applied."""
    host.report().set_document(dumps(document))
