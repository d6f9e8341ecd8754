"""Entries of ``context`` that another plugin computes."""

from typing import Any

from espejote import _check, host
from espejote.exact import loads


def names() -> list[str]:
    """The names of all such entries, in the order of the manifest."""
    return host.provided().names()


def get(name: str) -> Any:
    """The value. Its provider runs at most once for a call. Raises ``Unavailable`` with the words of the provider."""
    return loads(host.provided().get(_check.text(name, "name of a context")))
