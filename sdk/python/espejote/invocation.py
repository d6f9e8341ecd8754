"""The call being served: on whose behalf it runs, and with which config."""

from dataclasses import dataclass
from typing import Any

from espejote import host
from espejote.exact import loads
from espejote.object_id import Object, ObjectId


@dataclass(frozen=True)
class Owner:
    """The ManagedResource, Admission or ClusterAdmission that uses the plugin."""

    #: Its name; its namespace is the default for what the call emits.
    id: ObjectId
    uid: str

    def reference(self) -> Object:
        """An entry for ``metadata.ownerReferences``, so that what is emitted goes when the owner goes. Good for objects in
        the owner's namespace."""
        return {"apiVersion": self.id.api_version, "kind": self.id.kind, "name": self.id.name, "uid": self.uid}


def owner() -> Owner:
    """On whose behalf this call runs."""
    return Owner(*host.invocation().owner())


def config() -> Any:
    """The config given in the manifest; ``None`` if there is none. Does not change while this instance lives."""
    return loads(host.invocation().config())


def keep_instance() -> None:
    """Allow the host to use this instance for a later call with the same owner and config. To be called anew in each call;
    a wish only.

    What is kept (in variables of a module) must be a cache, recognised by its revision: the result of a call depends on
    what that call reads, not on the calls before it.
    """
    host.invocation().keep_instance()
