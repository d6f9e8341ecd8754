"""One call of a role, served by a host: what goes in and out as text, and how a call fails.

The same for a component and for tests. Never lets anything out but :class:`Failed`.
"""

import inspect
import logging
import os
import re
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from espejote.admission import Decision
from espejote.exact import dumps, loads
from espejote.failure import Failure, FailureKind, InvalidConfig, InvalidOutput
from espejote.host import Host, served_by
from espejote.plugin import Plugin, Problem

_T = TypeVar("_T")
_log = logging.getLogger("espejote")
_SDK = os.path.dirname(__file__)


class Failed(Exception):
    """The call gives no result: what the contract's failure has."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.message = message


class Answer(NamedTuple):
    """A decision as the contract has it: the mutation is ``("patch" or "object", JSON)``."""

    allowed: bool
    code: int | None
    message: str
    mutation: tuple[str, str] | None


def reconcile(plugin: Plugin, host: Host) -> None:
    """Role ``reconcile``."""
    _guarded(host, lambda: _called(plugin, "reconcile"))


def provide(plugin: Plugin, host: Host) -> str:
    """Role ``provide``: the value as JSON."""
    return _guarded(host, lambda: dumps(_called(plugin, "provide")))


def admit(plugin: Plugin, host: Host, request: str) -> Answer:
    """Role ``admit``."""
    return _guarded(host, lambda: _answer(_called(plugin, "admit", loads(request))))


def schema(plugin: Plugin, host: Host, role: str) -> str | None:
    """Role ``configuration``: the schema as JSON."""

    def written() -> str | None:
        found = plugin.schema_of(role)
        return None if found is None else dumps(found)

    return _guarded(Host(logging=host.logging), written)


def validate(plugin: Plugin, host: Host, role: str, config: str) -> list[Problem]:
    """Role ``configuration``: every other import than the log traps in it."""

    def checked() -> list[Problem]:
        try:
            return list(_called(plugin, "validate", loads(config), role) or [])
        except InvalidConfig as error:
            return [Problem("", error.message)]

    return _guarded(Host(logging=host.logging), checked)


def _called(plugin: Plugin, name: str, *arguments: Any) -> Any:
    function = plugin.function_of(name)
    result = None if function is None else function(*arguments)
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError(f"{name} is asynchronous; nothing in a plugin is")
    return result


def _guarded(host: Host, call: Callable[[], _T]) -> _T:
    with served_by(host):
        try:
            return call()
        except Failure as failure:
            raise Failed(failure.kind, failure.message) from failure
        except BaseException as error:  # noqa: BLE001: what gets out of a component is a trap
            raise Failed("internal", _told(error)) from error


def _told(error: BaseException) -> str:
    """Logs the traceback; gives a line with the place in the plugin."""
    line = "".join(traceback.format_exception_only(error)).strip()
    _log.error(line, exc_info=error)
    places = [
        # In a component, the folders of the search path are numbers.
        f"{re.sub('^/[0-9]+/', '', frame.filename)}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_SDK)
    ]
    return f"{line} ({places[-1]})" if places else line


def _answer(decision: Any) -> Answer:
    if not isinstance(decision, Decision):
        raise InvalidOutput(f"admit returned {type(decision).__name__}, not a Decision")
    if decision.patch is not None and decision.object is not None:
        raise InvalidOutput("admit returned a patch and an object: one of them says it")
    mutation = None
    if decision.patch is not None:
        mutation = ("patch", dumps(decision.patch))
    elif decision.object is not None:
        mutation = ("object", dumps(decision.object))
    return Answer(decision.allowed, decision.code, decision.message, mutation)
