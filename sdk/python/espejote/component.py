"""Makes a component of a plugin. Used by the module that the build writes; not for plugins.

Puts componentize-py's bindings behind the plain interfaces of ``host``, and mends what was frozen when the component was
built. What Python imports only when it is needed is imported here: a component has no files to import from.
"""

import _strptime  # type: ignore[import-not-found]  # noqa: F401: by datetime.strptime
import encodings.idna  # noqa: F401: by str.encode("idna")
import linecache  # noqa: F401: by traceback
import random
import tokenize  # noqa: F401: by linecache
from types import ModuleType, SimpleNamespace
from typing import Any

from espejote import host, log
from espejote.failure import InvalidInput, LibraryError, Unavailable
from espejote.object_id import ObjectId
from espejote.plugin import Plugin


def host_of(bindings: dict[str, ModuleType], err: type[Exception]) -> host.Host:
    """The host behind these bindings: ``imports`` of the generated package by their names, and its ``Err``."""
    log.install()
    wrapped = {name: _WRAPPERS[name](SimpleNamespace(err=err, **bindings)) for name in _WRAPPERS if name in bindings}
    return host.Host(**wrapped)


def begin() -> None:
    """To be called at the start of each call: the host's random numbers are seeded anew, Python's would not be."""
    random.seed()


def check_roles(plugin: object, roles: list[str]) -> None:
    """End the build if the plugin's roles are not the ones that plugin.toml lists."""
    if not isinstance(plugin, Plugin):
        raise TypeError("plugin.py has no Plugin named plugin")
    defined: list[str] = [*plugin.roles()]
    for role in roles:
        if role not in defined:
            raise TypeError(f"plugin.toml lists the role {role}, which the plugin does not have")
    for role in defined:
        if role not in roles:
            raise TypeError(f"the plugin has the role {role}, which plugin.toml does not list")


def _enum(of: Any, word: str | None) -> Any:
    return None if word is None else of[word.replace("-", "_").upper()]


def _word(of: Any) -> Any:
    return of.name.lower().replace("_", "-")


def _id(raw: Any) -> ObjectId:
    return ObjectId(raw.api_version, raw.kind, raw.namespace, raw.name)


class _Wrapper:
    def __init__(self, bindings: Any) -> None:
        self._all = bindings


class _Invocation(_Wrapper):
    def owner(self) -> tuple[ObjectId, str]:
        owner = self._all.invocation.owner()
        return _id(owner.id), owner.uid

    def config(self) -> str:
        return self._all.invocation.config()  # type: ignore[no-any-return]

    def keep_instance(self) -> None:
        self._all.invocation.keep_instance()


class _Collection:
    def __init__(self, raw: Any, err: type[Exception]) -> None:
        self._raw = raw
        self._err = err
        for name in ("len", "revision", "revisions", "find", "read", "scan"):
            setattr(self, name, getattr(raw, name))

    def ids(self, indices: list[int]) -> list[ObjectId]:
        return [_id(raw) for raw in self._raw.ids(indices)]

    def select(self, namespace: str | None, label_selector: str) -> list[int]:
        try:
            return self._raw.select(namespace, label_selector)  # type: ignore[no-any-return]
        except self._err as error:
            raise InvalidInput(error.value) from None  # type: ignore[attr-defined]

    def values(self, indices: list[int], pointer: str) -> list[str | None]:
        try:
            return self._raw.values(indices, pointer)  # type: ignore[no-any-return]
        except self._err as error:
            raise InvalidInput(error.value) from None  # type: ignore[attr-defined]


class _State(_Wrapper):
    def names(self) -> list[str]:
        return self._all.state.names()  # type: ignore[no-any-return]

    def open(self, name: str) -> Any:
        try:
            return _Collection(self._all.state.open(name), self._all.err)
        except self._all.err as error:
            raise Unavailable(_word(error.value.reason), error.value.message) from None


class _Provided(_Wrapper):
    def names(self) -> list[str]:
        return self._all.provided.names()  # type: ignore[no-any-return]

    def get(self, name: str) -> str:
        try:
            return self._all.provided.get(name)  # type: ignore[no-any-return]
        except self._all.err as error:
            raise Unavailable(_word(error.value.reason), error.value.message) from None


class _Trigger(_Wrapper):
    def name(self) -> str | None:
        return self._all.trigger.name()  # type: ignore[no-any-return]

    def event(self) -> ObjectId | None:
        event = self._all.trigger.event()
        return None if event is None else _id(event)

    def object(self) -> str | None:
        return self._all.trigger.object()  # type: ignore[no-any-return]


class _Library(_Wrapper):
    def read(self, path: str) -> bytes:
        return self._asked(self._all.library.read, path)  # type: ignore[no-any-return]

    def revision_of(self, path: str) -> int:
        return self._asked(self._all.library.revision_of, path)  # type: ignore[no-any-return]

    def _asked(self, ask: Any, path: str) -> Any:
        try:
            return ask(path)
        except self._all.err as error:
            raise LibraryError(_word(error.value.reason), error.value.message) from None


class _Logging(_Wrapper):
    def enabled(self, level: str) -> bool:
        return self._all.logging.enabled(_enum(self._all.logging.Level, level))  # type: ignore[no-any-return]

    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None:
        self._all.logging.log(_enum(self._all.logging.Level, level), message, fields)


class _Desired(_Wrapper):
    def apply(self, object: str, options: dict[str, Any] | None) -> None:
        wit = self._all.desired
        if options is not None:
            validation = _enum(wit.FieldValidation, options["field_validation"])
            options = wit.ApplyOptions(**{**options, "field_validation": validation})
        wit.apply(object, options)

    def delete(self, id: ObjectId, options: dict[str, Any] | None) -> None:
        wit = self._all.desired
        if options is not None:
            policy = _enum(wit.PropagationPolicy, options["propagation_policy"])
            options = wit.DeleteOptions(**{**options, "propagation_policy": policy})
        wit.delete(self._all.types.ObjectId(id.api_version, id.kind, id.namespace, id.name), options)

    def open_group(self, on_error: str | None) -> None:
        self._all.desired.open_group(_enum(self._all.desired.ErrorPolicy, on_error))

    def close_group(self) -> None:
        self._all.desired.close_group()


class _Report(_Wrapper):
    def requeue_after(self, milliseconds: int) -> None:
        self._all.report.requeue_after(milliseconds)

    def set_message(self, message: str) -> None:
        self._all.report.set_message(message)

    def set_condition(self, type: str, status: str, reason: str, message: str) -> None:
        wit = self._all.report
        wit.set_condition(wit.Condition(type, _enum(wit.ConditionStatus, status), reason, message))

    def set_waiting(self, reason: str, message: str) -> None:
        self._all.report.set_waiting(reason, message)

    def set_document(self, document: str) -> None:
        self._all.report.set_document(document)


class _Admission(_Wrapper):
    def warn(self, message: str) -> None:
        self._all.admission.warn(message)

    def annotate(self, key: str, value: str) -> None:
        self._all.admission.annotate(key, value)


_WRAPPERS: dict[str, Any] = {
    "invocation": _Invocation,
    "state": _State,
    "provided": _Provided,
    "trigger": _Trigger,
    "library": _Library,
    "logging": _Logging,
    "desired": _Desired,
    "report": _Report,
    "admission": _Admission,
}
