"""What a plugin is: its roles, each a function."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from espejote.admission import Decision
from espejote.object_id import Object

Role = Literal["reconcile", "admit", "provide", "configuration"]

_Reconcile = TypeVar("_Reconcile", bound=Callable[[], None])
_Admit = TypeVar("_Admit", bound=Callable[[Object], Decision])
_Provide = TypeVar("_Provide", bound=Callable[[], Any])
_Validate = TypeVar("_Validate", bound=Callable[[Any, str], "Iterable[Problem] | None"])

#: The JSON Schema (2020-12) of the config: one for all roles, or by role (``reconcile``, ``admit``, ``provide``).
Schema = Object | Callable[[str], Object | None]


@dataclass(frozen=True)
class Problem:
    """What is wrong with a config."""

    #: A JSON pointer (RFC 6901) into the config; empty for the whole.
    path: str
    #: For people: what was expected.
    message: str


class Plugin:
    """A plugin by its roles. ``plugin.py`` has to have one, named ``plugin``::

        plugin = Plugin()

        @plugin.reconcile
        def reconcile() -> None:
            for namespace in state.context("namespaces"):
                desired.apply({
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": {"name": "team", "namespace": namespace["metadata"]["name"]},
                })

    :param schema: of the config, for the role ``configuration``
    """

    def __init__(self, *, schema: Schema | None = None) -> None:
        self._schema = schema
        self._roles: dict[str, Callable[..., Any]] = {}

    def reconcile(self, function: _Reconcile) -> _Reconcile:
        """Logic of a ManagedResource. Called once for each trigger and object."""
        self._add("reconcile", function)
        return function

    def admit(self, function: _Admit) -> _Admit:
        """Logic of an Admission or ClusterAdmission: decides on one AdmissionRequest (``admission.k8s.io/v1``)."""
        self._add("admit", function)
        return function

    def provide(self, function: _Provide) -> _Provide:
        """Computes an entry of ``context``: returns the value."""
        self._add("provide", function)
        return function

    def validate(self, function: _Validate) -> _Validate:
        """What a schema cannot say, for the role ``configuration``: gets the config, which satisfies the schema, and the role
        that is going to run with it. Gives the problems, or raises ``InvalidConfig``. Nothing of the SDK but the log may be
        used."""
        self._add("validate", function)
        return function

    def schema_of(self, role: str) -> Object | None:
        """The schema of the config for a role."""
        return self._schema(role) if callable(self._schema) else self._schema

    def function_of(self, name: str) -> Callable[..., Any] | None:
        """What was registered as ``reconcile``, ``admit``, ``provide`` or ``validate``."""
        return self._roles.get(name)

    def roles(self) -> list[Role]:
        """The roles that the plugin has."""
        all_but_one: tuple[Role, ...] = ("reconcile", "admit", "provide")
        roles = [role for role in all_but_one if role in self._roles]
        if self._schema is not None or "validate" in self._roles:
            roles.append("configuration")
        return roles

    def _add(self, name: str, function: Callable[..., Any]) -> None:
        if name in self._roles:
            raise TypeError(f"the plugin has two functions for {name}")
        self._roles[name] = function
