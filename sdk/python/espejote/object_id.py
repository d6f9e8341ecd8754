"""Words that every module shares: the name of an object, a revision."""

from dataclasses import dataclass
from typing import Any

#: Stands for a content: equal revisions mean equal bytes, for as long as this instance lives. They have no order.
Revision = int

#: An object of Kubernetes, or a part of one, as JSON gives it.
Object = dict[str, Any]


@dataclass(frozen=True, order=True)
class ObjectId:
    """Names one object of the cluster."""

    #: ``group/version``, or ``v1`` for the core group.
    api_version: str
    kind: str
    #: Empty: the kind is cluster-scoped. In what a plugin emits, empty for a namespaced kind means the owner's namespace.
    namespace: str
    name: str

    @classmethod
    def of(cls, object: Object) -> "ObjectId":
        """The id of an object. Raises ``KeyError`` if it has no name."""
        metadata = object["metadata"]
        return cls(object["apiVersion"], object["kind"], metadata.get("namespace") or "", metadata["name"])

    def __str__(self) -> str:
        """``Pod shop/web``, for messages."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"
