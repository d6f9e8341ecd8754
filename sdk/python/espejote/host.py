"""The host that serves the call at hand: the operator in a component, a fake in tests.

Owns which one that is, and what each interface looks like in plain Python. Not for plugins: the other modules wrap it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from espejote.object_id import ObjectId


class Invocation(Protocol):
    """Interface ``invocation``."""

    def owner(self) -> tuple[ObjectId, str]: ...
    def config(self) -> str: ...
    def keep_instance(self) -> None: ...


class Collection(Protocol):
    """Resource ``collection``. Raises ``InvalidInput`` for what is wrong with a selector or pointer."""

    def len(self) -> int: ...
    def revision(self) -> int: ...
    def revisions(self) -> list[int]: ...
    def find(self, namespace: str, name: str) -> int | None: ...
    def select(self, namespace: str | None, label_selector: str) -> list[int]: ...
    def ids(self, indices: list[int]) -> list[ObjectId]: ...
    def read(self, indices: list[int]) -> list[str]: ...
    def scan(self, start: int, max_bytes: int) -> list[str]: ...
    def values(self, indices: list[int], pointer: str) -> list[str | None]: ...


class State(Protocol):
    """Interface ``state``. ``open`` raises ``Unavailable``."""

    def names(self) -> list[str]: ...
    def open(self, name: str) -> Collection: ...


class Provided(Protocol):
    """Interface ``provided``. ``get`` raises ``Unavailable``."""

    def names(self) -> list[str]: ...
    def get(self, name: str) -> str: ...


class Trigger(Protocol):
    """Interface ``trigger``."""

    def name(self) -> str | None: ...
    def event(self) -> ObjectId | None: ...
    def object(self) -> str | None: ...


class Library(Protocol):
    """Interface ``library``. Both raise ``LibraryError``."""

    def read(self, path: str) -> bytes: ...
    def revision_of(self, path: str) -> int: ...


class Logging(Protocol):
    """Interface ``logging``."""

    def enabled(self, level: str) -> bool: ...
    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None: ...


class Desired(Protocol):
    """Interface ``desired``. Options are records of the contract as dictionaries, with every key."""

    def apply(self, object: str, options: dict[str, Any] | None) -> None: ...
    def delete(self, id: ObjectId, options: dict[str, Any] | None) -> None: ...
    def open_group(self, on_error: str | None) -> None: ...
    def close_group(self) -> None: ...


class Report(Protocol):
    """Interface ``report``."""

    def requeue_after(self, milliseconds: int) -> None: ...
    def set_message(self, message: str) -> None: ...
    def set_condition(self, type: str, status: str, reason: str, message: str) -> None: ...
    def set_waiting(self, reason: str, message: str) -> None: ...
    def set_document(self, document: str) -> None: ...


class Admission(Protocol):
    """Interface ``admission``."""

    def warn(self, message: str) -> None: ...
    def annotate(self, key: str, value: str) -> None: ...


class Host:
    """The interfaces that a role has; the others are ``None``."""

    def __init__(
        self,
        *,
        logging: Logging | None = None,
        invocation: Invocation | None = None,
        state: State | None = None,
        provided: Provided | None = None,
        trigger: Trigger | None = None,
        library: Library | None = None,
        desired: Desired | None = None,
        report: Report | None = None,
        admission: Admission | None = None,
    ) -> None:
        self.logging = logging
        self.invocation = invocation
        self.state = state
        self.provided = provided
        self.trigger = trigger
        self.library = library
        self.desired = desired
        self.report = report
        self.admission = admission


_serving: Host | None = None


@contextmanager
def served_by(host: Host) -> Iterator[None]:
    """What is called inside is served by this host."""
    global _serving
    before, _serving = _serving, host
    try:
        yield
    finally:
        _serving = before


def serves_logging() -> bool:
    """Whether lines can be logged now."""
    return _serving is not None and _serving.logging is not None


def _interface(name: str) -> Any:
    if _serving is None:
        raise RuntimeError(
            f"{name} can be used during a call only: what stands outside of functions runs when the plugin is built"
        )
    found = getattr(_serving, name)
    if found is None:
        raise RuntimeError(f"{name} is not there in this role")
    return found


def invocation() -> Invocation:
    """Interface ``invocation`` of the host that serves; this and the others raise ``RuntimeError`` where there is none."""
    found: Invocation = _interface("invocation")
    return found


def state() -> State:
    found: State = _interface("state")
    return found


def provided() -> Provided:
    found: Provided = _interface("provided")
    return found


def trigger() -> Trigger:
    found: Trigger = _interface("trigger")
    return found


def library() -> Library:
    found: Library = _interface("library")
    return found


def logging() -> Logging:
    found: Logging = _interface("logging")
    return found


def desired() -> Desired:
    found: Desired = _interface("desired")
    return found


def report() -> Report:
    found: Report = _interface("report")
    return found


def admission() -> Admission:
    found: Admission = _interface("admission")
    return found
