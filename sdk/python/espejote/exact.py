"""JSON that keeps numbers as they are written.

Integers are exact in Python anyway. A number with a fraction or an exponent becomes a :class:`Number`: a ``float`` that
remembers its text, so that ``3.0``, ``1e3`` and ``1e400`` are written as they were read, wherever they are passed on to.
Computing with it gives ordinary floats.
"""

import json
import math
from collections.abc import Mapping
from json.encoder import encode_basestring as _quoted
from json.encoder import encode_basestring_ascii as _quoted_as_ascii
from typing import Any

from espejote.failure import InvalidOutput


class Number(float):
    """A float that remembers how it was written."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> "Number":
        """From the text of a JSON number."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]
        return (self.text,)


def loads(text: str) -> Any:
    """Parse JSON. Raises ``ValueError`` if it is none."""
    # Python's integers know no -0; looking for it in every integer would cost the usual case.
    parse_int = _integer if "-0" in text else None
    return json.loads(text, parse_float=Number, parse_int=parse_int, parse_constant=_no_number)


def _integer(text: str) -> int | float:
    return Number(text) if text == "-0" else int(text)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def dumps(value: Any) -> str:
    """Write JSON: as ``json.dumps``, but exact.

    Raises :class:`~espejote.InvalidOutput` with the place of what is no JSON: NaN, a set, a key that is no text.
    """
    return _written(value, ())


def _written(value: Any, place: tuple[str, ...]) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _float(value, place)
    if isinstance(value, Mapping):
        return _object(value, place)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_written(item, (*place, str(at))) for at, item in enumerate(value))}]"
    raise _fault(f"{type(value).__name__} is no JSON", place)


def _text(value: str) -> str:
    if value.isascii():
        return _quoted(value)
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair: no UTF-8, but JSON has a way to write it
        return _quoted_as_ascii(value)
    return _quoted(value)


def _float(value: float, place: tuple[str, ...]) -> str:
    if isinstance(value, Number):
        return value.text
    if not math.isfinite(value):
        raise _fault(f"{value} is no JSON number", place)
    return float.__repr__(value)


def _object(value: Mapping[Any, Any], place: tuple[str, ...]) -> str:
    fields = []
    for key, item in value.items():
        if not isinstance(key, str):
            raise _fault(f"the key {key!r} is no text", place)
        fields.append(f"{_text(key)}:{_written(item, (*place, key))}")
    return f"{{{','.join(fields)}}}"


def _fault(problem: str, place: tuple[str, ...]) -> InvalidOutput:
    return InvalidOutput(f"{'.'.join(place)}: {problem}" if place else problem)
