"""Write Espejote plugins in Python.

A plugin is a WebAssembly component that has one or more roles, each a function of a :class:`Plugin`. What it may read:
:mod:`~espejote.state` (objects of the cluster), :mod:`~espejote.provided` (values that other plugins computed),
:mod:`~espejote.trigger`, :mod:`~espejote.library` and :mod:`~espejote.invocation` (its owner and config). What it may say:
:mod:`~espejote.desired`, :mod:`~espejote.report`, the standard ``logging`` and, in an admitter, :mod:`~espejote.admission`. All that
is read is of one instant and does not change during a call. Nothing that is emitted is written unless the call succeeds.

Code outside of functions runs when the plugin is *built*, not when it is called. Every module has to be imported there: an
import within a function finds no file.
"""

from espejote import admission, desired, invocation, library, provided, report, state, trigger
from espejote.admission import Decision
from espejote.exact import Number, dumps, loads
from espejote.failure import (
    Failure,
    InvalidConfig,
    InvalidInput,
    InvalidOutput,
    LibraryError,
    NotReady,
    Unavailable,
)
from espejote.object_id import Object, ObjectId, Revision
from espejote.plugin import Plugin, Problem
from espejote.state import Collection

__all__ = [
    "Collection",
    "Decision",
    "Failure",
    "InvalidConfig",
    "InvalidInput",
    "InvalidOutput",
    "LibraryError",
    "NotReady",
    "Number",
    "Object",
    "ObjectId",
    "Plugin",
    "Problem",
    "Revision",
    "Unavailable",
    "admission",
    "desired",
    "dumps",
    "invocation",
    "library",
    "loads",
    "provided",
    "report",
    "state",
    "trigger",
]
