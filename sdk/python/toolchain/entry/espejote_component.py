"""What componentize-py makes the component of: the plugin in plugin.py behind the exports of the world that is built.

Runs when the component is built, up to its end; afterwards only the methods do.
"""

import pkgutil
from importlib import import_module
from typing import Any

import wit_world.imports
from componentize_py_types import Err
from espejote import call, component
from wit_world import exports
from wit_world.imports import types

from plugin import plugin

_HOST = component.host_of(
    {found.name: import_module(f"wit_world.imports.{found.name}") for found in pkgutil.iter_modules(wit_world.imports.__path__)},
    Err,
)
_ROLES = [role for role in ("reconcile", "admit", "provide", "configuration") if hasattr(exports, role.capitalize())]
component.check_roles(plugin, _ROLES)


def _served(role: Any, *arguments: Any) -> Any:
    component.begin()
    try:
        return role(plugin, _HOST, *arguments)
    except call.Failed as failed:
        kind = types.FailureKind[failed.kind.replace("-", "_").upper()]
        raise Err(types.Failure(kind, failed.message)) from None


class Reconcile:
    def reconcile(self) -> None:
        _served(call.reconcile)


class Provide:
    def provide(self) -> str:
        return _served(call.provide)


class Admit:
    def admit(self, request: str) -> Any:
        answer = _served(call.admit, request)
        wit = exports.admit
        mutation = answer.mutation
        if mutation is not None:
            how, json = mutation
            mutation = wit.Mutation_Patch(json) if how == "patch" else wit.Mutation_Object(json)
        return wit.Decision(answer.allowed, answer.code, answer.message, mutation)


class Configuration:
    def schema(self, role: str) -> str | None:
        return _without_failure(call.schema, role)

    def validate(self, role: str, config: str) -> list[Any]:
        wit = exports.configuration
        problems = _without_failure(call.validate, role, config)
        return [wit.Problem(problem.path, problem.message) for problem in problems]


def _without_failure(function: Any, *arguments: Any) -> Any:
    """These exports have no failure to return: a bug is a trap, with its message on standard error."""
    try:
        return function(plugin, _HOST, *arguments)
    except call.Failed as failed:
        raise RuntimeError(failed.message) from None


class WitWorld:
    pass
