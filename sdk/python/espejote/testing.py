"""Runs a plugin on the machine at hand, without a cluster and without WebAssembly. ::

    result = run(
        plugin,
        config={"greeting": "Hello"},
        context={"namespaces": [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}]},
    )
    assert result.failure is None
    assert result.applied == [...]

The fake host answers as the operator does: objects come ordered, as JSON; selectors and pointers work. What it does not do:
refuse what the operator refuses after a call (it takes any object that is JSON), limit anything, keep instances.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from espejote import call, log
from espejote._fake import Fake, Item, Line, Missing
from espejote.admission import Decision
from espejote.exact import dumps, loads
from espejote.failure import FailureKind
from espejote.object_id import Object, ObjectId
from espejote.plugin import Plugin, Problem

__all__ = ["Admitted", "Condition", "Failed", "Item", "Line", "Missing", "Provided", "Result", "Trigger"]
__all__ += ["admit", "provide", "run", "validate"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Trigger:
    """What starts a call: a name alone is an interval; with an object that exists, or the id of one that is gone, a change."""

    name: str
    object: Object | None = None
    event: ObjectId | None = None


@dataclass(frozen=True)
class Failed:
    """Why a call has no result."""

    kind: FailureKind
    message: str


@dataclass(frozen=True)
class Condition:
    """A condition that was set; ``None``: unknown."""

    status: bool | None
    reason: str
    message: str


@dataclass
class Result:
    """What a reconcile emitted and told."""

    failure: Failed | None
    #: The tree, as it was emitted.
    items: list[Item] = field(default_factory=list)
    #: The objects of all items, groups included, in order.
    applied: list[Object] = field(default_factory=list)
    #: Likewise the deletions.
    deleted: list[ObjectId] = field(default_factory=list)
    #: What was emitted, as JSON text: to see that numbers are written as they were read.
    texts: list[str] = field(default_factory=list)
    message: str | None = None
    conditions: dict[str, Condition] = field(default_factory=dict)
    #: Reason and message.
    waiting: tuple[str, str] | None = None
    #: In milliseconds.
    requeue_after: int | None = None
    document: Any = None
    logs: list[Line] = field(default_factory=list)
    kept_instance: bool = False


@dataclass
class Admitted:
    """What an admission request was answered with."""

    failure: Failed | None
    decision: Decision | None
    warnings: list[str]
    annotations: dict[str, str]
    logs: list[Line]


@dataclass
class Provided:
    """What a provider computed."""

    failure: Failed | None
    value: Any
    logs: list[Line]


def run(
    plugin: Plugin,
    *,
    config: Any = None,
    context: Mapping[str, list[Object] | Missing] | None = None,
    provided: Mapping[str, Any] | None = None,
    trigger: Trigger | None = None,
    libraries: Mapping[str, str | bytes | Missing] | None = None,
    owner: ObjectId | None = None,
    uid: str | None = None,
) -> Result:
    """Call the role ``reconcile``. Does not raise: what the plugin raises is in ``failure``.

    :param context: objects by the name of the context, or why there are none to be had
    :param provided: values of computed contexts, by name
    :param trigger: left out: the general reconcile
    :param libraries: files by path
    """
    fake = Fake(config, context, provided, trigger, libraries, owner, uid)
    failure, _ = _outcome(lambda: call.reconcile(plugin, fake.host))
    told = fake.report
    return Result(
        failure,
        items=fake.desired.items,
        applied=fake.desired.applied(),
        deleted=fake.desired.deleted(),
        texts=fake.desired.texts,
        message=told.message,
        conditions={type: Condition(*condition) for type, condition in told.conditions.items()},
        waiting=told.waiting,
        requeue_after=told.milliseconds,
        document=told.document,
        logs=fake.logging.lines,
        kept_instance=fake.invocation.kept,
    )


def admit(plugin: Plugin, request: Object, *, config: Any = None, provided: Mapping[str, Any] | None = None) -> Admitted:
    """Call the role ``admit`` with an AdmissionRequest; what is left out of it is filled in."""
    fake = Fake(config, None, provided, None, None, None, None)
    request = {"uid": "00000000-0000-0000-0000-000000000000", "operation": "CREATE", "userInfo": {}, **request}
    failure, answer = _outcome(lambda: call.admit(plugin, fake.host, dumps(request)))
    decision = None
    if answer is not None:
        how, text = answer.mutation or ("", "null")
        change = {how: loads(text)} if how else {}
        decision = Decision(answer.allowed, answer.message, answer.code, **change)
    return Admitted(failure, decision, fake.admission.warnings, fake.admission.annotations, fake.logging.lines)


def provide(plugin: Plugin, *, config: Any = None, context: Mapping[str, list[Object] | Missing] | None = None) -> Provided:
    """Call the role ``provide``."""
    fake = Fake(config, context, None, None, None, None, None)
    failure, text = _outcome(lambda: call.provide(plugin, fake.host))
    return Provided(failure, None if text is None else loads(text), fake.logging.lines)


def validate(plugin: Plugin, config: Any, role: str = "reconcile") -> list[Problem]:
    """Check a config as the role ``configuration`` does; the schema itself is the host's to apply."""
    fake = Fake(config, None, None, None, None, None, None)
    return call.validate(plugin, fake.host, role, dumps(config))


def _outcome(run: Callable[[], _T]) -> tuple[Failed | None, _T | None]:
    log.install()
    try:
        return None, run()
    except call.Failed as failed:
        return Failed(failed.kind, failed.message), None
