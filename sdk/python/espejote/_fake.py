"""A host in memory: answers from what a test gives it, and remembers what it was told."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from espejote.exact import dumps, loads
from espejote.failure import InvalidInput, LibraryError, Unavailable
from espejote.host import Host
from espejote.object_id import Object, ObjectId

_OWNER = ObjectId("espejote.io/v1alpha1", "ManagedResource", "default", "test")
_UID = "00000000-0000-0000-0000-000000000000"
_STATUS = {"true": True, "false": False, "unknown": None}


@dataclass(frozen=True)
class Missing:
    """In place of something that can be had: the reason is one of ``Unavailable``, or of ``LibraryError`` for a file."""

    reason: Any
    message: str = ""


@dataclass
class Item:
    """One item that was emitted: one of ``apply``, ``delete`` and ``group`` is set."""

    apply: Object | None = None
    delete: ObjectId | None = None
    group: "list[Item] | None" = None
    #: Those that were given.
    options: dict[str, Any] = field(default_factory=dict)
    on_error: str | None = None


@dataclass(frozen=True)
class Line:
    """One line of the log."""

    level: str
    message: str
    fields: dict[str, str]


class Fake:
    """The host and its parts."""

    def __init__(
        self,
        config: Any,
        context: Mapping[str, list[Object] | Missing] | None,
        provided: Mapping[str, Any] | None,
        trigger: Any,
        libraries: Mapping[str, str | bytes | Missing] | None,
        owner: ObjectId | None,
        uid: str | None,
    ) -> None:
        self.invocation = _Invocation(config, owner or _OWNER, uid or _UID)
        self.logging = _Logging()
        self.desired = _Desired()
        self.report = _Report()
        self.admission = _Admission()
        self.host = Host(
            invocation=self.invocation,
            logging=self.logging,
            desired=self.desired,
            report=self.report,
            admission=self.admission,
            state=_State(context or {}),
            provided=_Provided(provided or {}),
            trigger=_Trigger(trigger),
            library=_Library(libraries or {}),
        )


class _Invocation:
    def __init__(self, config: Any, owner: ObjectId, uid: str) -> None:
        self._config, self._owner, self._uid = config, owner, uid
        self.kept = False

    def owner(self) -> tuple[ObjectId, str]:
        return self._owner, self._uid

    def config(self) -> str:
        return dumps(self._config)

    def keep_instance(self) -> None:
        self.kept = True


class _State:
    def __init__(self, contexts: Mapping[str, list[Object] | Missing]) -> None:
        self._contexts = contexts

    def names(self) -> list[str]:
        return list(self._contexts)

    def open(self, name: str) -> "_Collection":
        found = self._contexts.get(name, _undefined(name))
        if isinstance(found, Missing):
            raise Unavailable(found.reason, found.message)
        return _Collection(found)


def _undefined(name: str) -> Missing:
    return Missing("unknown-name", f'context "{name}" is not defined')


class _Collection:
    def __init__(self, objects: list[Object]) -> None:
        named = [(ObjectId.of(object), dumps(object)) for object in objects]
        named.sort(key=lambda pair: (pair[0].namespace, pair[0].name))
        self._ids = [id for id, _ in named]
        self._texts = [text for _, text in named]

    def len(self) -> int:
        return len(self._texts)

    def revision(self) -> int:
        return hash(tuple(self._texts)) % 2**64

    def revisions(self) -> list[int]:
        return [hash(text) % 2**64 for text in self._texts]

    def find(self, namespace: str, name: str) -> int | None:
        return next((at for at, id in enumerate(self._ids) if (id.namespace, id.name) == (namespace, name)), None)

    def select(self, namespace: str | None, label_selector: str) -> list[int]:
        matches = parse_selector(label_selector)
        labels = (loads(text)["metadata"].get("labels") or {} for text in self._texts)
        return [
            at
            for at, (id, its) in enumerate(zip(self._ids, labels, strict=True))
            if namespace in (None, id.namespace) and matches(its)
        ]

    def ids(self, indices: list[int]) -> list[ObjectId]:
        return [self._ids[index] for index in indices]

    def read(self, indices: list[int]) -> list[str]:
        return [self._texts[index] for index in indices]

    def scan(self, start: int, max_bytes: int) -> list[str]:
        page: list[str] = []
        size = 0
        for text in self._texts[start:]:
            size += len(text.encode())
            if page and size > max_bytes:
                break
            page.append(text)
        return page

    def values(self, indices: list[int], pointer: str) -> list[str | None]:
        keys = parse_pointer(pointer)
        return [_value(loads(self._texts[index]), keys) for index in indices]


def parse_pointer(text: str) -> list[str]:
    """The keys that a JSON pointer (RFC 6901) names. Raises ``InvalidInput``."""
    if text and not text.startswith("/"):
        raise InvalidInput(f'invalid JSON pointer "{text}": it has to begin with a slash')
    if re.search("~(?![01])", text):
        raise InvalidInput(f'invalid JSON pointer "{text}": ~ has to be followed by 0 or 1')
    return [key.replace("~1", "/").replace("~0", "~") for key in text.split("/")[1:]]


def _value(value: Any, keys: list[str]) -> str | None:
    for key in keys:
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and re.fullmatch(r"0|[1-9]\d*", key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return dumps(value)


def parse_selector(text: str) -> Callable[[Mapping[str, str]], bool]:
    """Whether labels match a selector as for ``kubectl -l``. Raises ``InvalidInput``."""
    parts = re.split(r",(?![^(]*\))", text) if text.strip() else []
    requirements = [_requirement(part.strip(), text) for part in parts]
    return lambda labels: all(matches(labels) for matches in requirements)


def _requirement(part: str, whole: str) -> Callable[[Mapping[str, str]], bool]:
    if found := re.fullmatch(r"(\S+)\s+(in|notin)\s*\(([^()]*)\)", part):
        return _one_of(found[1], found[2] == "in", {value.strip() for value in found[3].split(",")})
    if found := re.fullmatch(r"([^!=\s]+)\s*(==|=|!=)\s*([^!=\s]*)", part):
        return _one_of(found[1], found[2] != "!=", {found[3]})
    if found := re.fullmatch(r"(!?)\s*([-\w./]+)", part):
        key, wanted = found[2], found[1] == ""
        return lambda labels: (key in labels) == wanted
    raise InvalidInput(f'invalid label selector "{whole}": "{part}" is none')


def _one_of(key: str, wanted: bool, values: set[str]) -> Callable[[Mapping[str, str]], bool]:
    """As in Kubernetes, ``!=`` and ``notin`` match objects that lack the label."""
    return lambda labels: (labels.get(key) in values) == wanted


class _Provided:
    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def names(self) -> list[str]:
        return list(self._values)

    def get(self, name: str) -> str:
        if name not in self._values:
            raise Unavailable("unknown-name", _undefined(name).message)
        return dumps(self._values[name])


class _Trigger:
    def __init__(self, trigger: Any) -> None:
        self._trigger = trigger

    def name(self) -> str | None:
        return self._trigger and self._trigger.name  # type: ignore[no-any-return]

    def event(self) -> ObjectId | None:
        if self._trigger is None or self._trigger.object is None:
            return self._trigger and self._trigger.event  # type: ignore[no-any-return]
        return ObjectId.of(self._trigger.object)

    def object(self) -> str | None:
        return None if self._trigger is None or self._trigger.object is None else dumps(self._trigger.object)


class _Library:
    def __init__(self, files: Mapping[str, str | bytes | Missing]) -> None:
        self._files = files

    def read(self, path: str) -> bytes:
        found = self._files.get(path, Missing("no-library", f'there is no file "{path}"'))
        if isinstance(found, Missing):
            raise LibraryError(found.reason, found.message)
        return found.encode() if isinstance(found, str) else found

    def revision_of(self, path: str) -> int:
        return hash(self.read(path)) % 2**64


class _Logging:
    def __init__(self) -> None:
        self.lines: list[Line] = []

    def enabled(self, level: str) -> bool:
        return True

    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None:
        self.lines.append(Line(level, message, dict(fields)))


class _Desired:
    def __init__(self) -> None:
        self.items: list[Item] = []
        self.texts: list[str] = []
        self._open = [self.items]

    def apply(self, object: str, options: dict[str, Any] | None) -> None:
        self.texts.append(object)
        self._emit(Item(apply=loads(object), options=_given(options)))

    def delete(self, id: ObjectId, options: dict[str, Any] | None) -> None:
        self._emit(Item(delete=id, options=_given(options)))

    def open_group(self, on_error: str | None) -> None:
        group: list[Item] = []
        self._emit(Item(group=group, on_error=on_error))
        self._open.append(group)

    def close_group(self) -> None:
        self._open.pop()

    def applied(self) -> list[Object]:
        return [item.apply for item in _flat(self.items) if item.apply is not None]

    def deleted(self) -> list[ObjectId]:
        return [item.delete for item in _flat(self.items) if item.delete is not None]

    def _emit(self, item: Item) -> None:
        self._open[-1].append(item)


def _given(options: dict[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (options or {}).items() if value is not None}


def _flat(items: list[Item]) -> list[Item]:
    return [inner for item in items for inner in ([item] if item.group is None else _flat(item.group))]


class _Report:
    def __init__(self) -> None:
        self.message: str | None = None
        self.conditions: dict[str, tuple[bool | None, str, str]] = {}
        self.waiting: tuple[str, str] | None = None
        self.milliseconds: int | None = None
        self.document: Any = None

    def requeue_after(self, milliseconds: int) -> None:
        self.milliseconds = milliseconds

    def set_message(self, message: str) -> None:
        self.message = message

    def set_condition(self, type: str, status: str, reason: str, message: str) -> None:
        self.conditions[type] = (_STATUS[status], reason, message)

    def set_waiting(self, reason: str, message: str) -> None:
        self.waiting = (reason, message)

    def set_document(self, document: str) -> None:
        self.document = loads(document)


class _Admission:
    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.annotations: dict[str, str] = {}

    def warn(self, message: str) -> None:
        self.warnings.append(message)

    def annotate(self, key: str, value: str) -> None:
        self.annotations[key] = value
