"""Checks what a plugin passes to the host. Of another type than the contract says, it would end in a trap that has no
traceback."""

from collections.abc import Iterable
from typing import Any

_MAX_U32 = 2**32 - 1


def text(value: object, what: str) -> str:
    """The value, which has to be text."""
    if not isinstance(value, str):
        raise _expected("a string", value, what)
    return value


def u32(value: object, what: str) -> int:
    """The value, which has to fit into 32 bits."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MAX_U32:
        raise _expected("an integer, 0 or more", value, what)
    return value


def boolean(value: object, what: str) -> bool:
    """The value, which has to be true or false."""
    if not isinstance(value, bool):
        raise _expected("True or False", value, what)
    return value


def word(value: object, words: tuple[str, ...], what: str) -> str:
    """The value, which has to be one of the words."""
    if not isinstance(value, str) or value not in words:
        raise _expected(" or ".join(map(repr, words)), value, what)
    return value


def indices(values: Iterable[object], length: int, what: str) -> list[int]:
    """The values, which have to be indices of a collection of this length."""
    wanted = [u32(value, what) for value in values]
    for index in wanted:
        if index >= length:
            raise IndexError(f"{what} has {length} objects, none with index {index}")
    return wanted


def options(given: dict[str, Any], checks: dict[str, Any], what: str) -> dict[str, Any] | None:
    """The options, checked where they are given; ``None`` if none is. ``checks`` has a function or words for each."""
    for key, value in given.items():
        if value is None:
            continue
        check, place = checks[key], f"{what}, {key}"
        if isinstance(check, tuple):
            word(value, check, place)
        else:
            check(value, place)
    return None if all(value is None for value in given.values()) else given


def _expected(wanted: str, value: object, what: str) -> TypeError:
    return TypeError(f"{what}: expected {wanted}, got {str(repr(value))[:100]}")
