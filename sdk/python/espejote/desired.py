"""What the cluster should look like.

Everything is buffered: nothing is written before the call has succeeded and all of it has been found well-formed. Then it is
written in the order of emission, as the owner's ServiceAccount.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from espejote import _check, host
from espejote.exact import dumps
from espejote.failure import InvalidOutput
from espejote.object_id import ObjectId

ErrorPolicy = Literal["continue", "abort"]
FieldValidation = Literal["ignore", "warn", "strict"]
PropagationPolicy = Literal["background", "foreground", "orphan"]


_POLICIES = ("continue", "abort")
_APPLY = {
    "field_manager": _check.text,
    "field_manager_suffix": _check.text,
    "force": _check.boolean,
    "field_validation": ("ignore", "warn", "strict"),
    "subresource": _check.text,
}
_DELETE = {
    "grace_period_seconds": _check.u32,
    "propagation_policy": ("background", "foreground", "orphan"),
    "precondition_uid": _check.text,
    "precondition_resource_version": _check.text,
}


def apply(
    object: Mapping[str, Any],
    *,
    field_manager: str | None = None,
    field_manager_suffix: str | None = None,
    force: bool | None = None,
    field_validation: FieldValidation | None = None,
    subresource: str | None = None,
) -> None:
    """Server-side apply of an object: ``apiVersion``, ``kind``, ``metadata.name`` and the fields to own.

    Options that are not given come from ``spec.applyOptions`` of the owner, then from the host's defaults.

    :param field_manager: who owns the fields
    :param field_manager_suffix: appended to the field manager, whichever it is; gives one owner several managers
    :param force: whether to take fields over from other managers; ``False`` wins over the owner's ``True``
    :param field_validation: how the API server treats unknown and duplicate fields
    :param subresource: apply to this subresource, such as ``status``, instead of the object itself

    Raises ``InvalidOutput`` if one of the three is missing, or something in the object is no JSON.
    """
    id = _id(object, "apply")
    options = {
        "field_manager": field_manager,
        "field_manager_suffix": field_manager_suffix,
        "force": force,
        "field_validation": field_validation,
        "subresource": subresource,
    }
    try:
        text = dumps(object)
    except InvalidOutput as error:
        raise InvalidOutput(f"{id}: {error.message}") from None
    host.desired().apply(text, _check.options(options, _APPLY, "apply"))


def delete(
    object: ObjectId | Mapping[str, Any],
    *,
    grace_period_seconds: int | None = None,
    propagation_policy: PropagationPolicy | None = None,
    precondition_uid: str | None = None,
    precondition_resource_version: str | None = None,
) -> None:
    """Delete an object, given by its id or itself. That it does not exist is no error.

    Options that are not given are up to the API server. ``precondition_…``: delete only the object with this uid, or only
    this version of it.
    """
    id = object if isinstance(object, ObjectId) else _id(object, "delete")
    options = {
        "grace_period_seconds": grace_period_seconds,
        "propagation_policy": propagation_policy,
        "precondition_uid": precondition_uid,
        "precondition_resource_version": precondition_resource_version,
    }
    host.desired().delete(id, _check.options(options, _DELETE, "delete"))


@contextmanager
def group(on_error: ErrorPolicy | None = None) -> Iterator[None]:
    """What is emitted inside becomes one group, an item of the group around it. No policy: that of the group around it;
    outside of all groups, ``continue``. ::

        with desired.group("abort"):
            desired.apply(claim)
            desired.apply(pod)  # not written if the claim could not be
    """
    policy = None if on_error is None else _check.word(on_error, _POLICIES, "policy of a group")
    host.desired().open_group(policy)
    try:
        yield
    finally:
        host.desired().close_group()


def _id(object: Mapping[str, Any], verb: str) -> ObjectId:
    metadata = object.get("metadata") or {}
    for field, value in {
        "apiVersion": object.get("apiVersion"),
        "kind": object.get("kind"),
        "metadata.name": metadata.get("name"),
    }.items():
        if not isinstance(value, str) or value == "":
            raise InvalidOutput(f"{field} of the object to {verb} is {value!r}")
    _check.text(metadata.get("namespace") or "", f"metadata.namespace of the object to {verb}")
    return ObjectId.of({**object})
