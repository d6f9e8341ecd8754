"""What started this reconcile."""

from espejote import host
from espejote.exact import loads
from espejote.object_id import Object, ObjectId


def name() -> str | None:
    """The name of the trigger in the manifest. ``None``: the general reconcile, for all objects at once."""
    return host.trigger().name()


def event() -> ObjectId | None:
    """The object whose change started this call; ``None`` for the general reconcile and for intervals. Several changes of it
    may have been merged into one call."""
    return host.trigger().event()


def object() -> Object | None:
    """That object as it is at the instant of ``state``; ``None`` if it is gone."""
    text = host.trigger().object()
    return None if text is None else loads(text)
