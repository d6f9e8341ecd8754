"""Keeps the version of machine pools in step with their control plane, one minor version at a time.

What to do with a pool is decided in versions.py. Here is what is read, what is emitted, and what is told.
"""

import logging
from collections.abc import Iterator
from typing import Any

from espejote import InvalidInput, Object, Plugin, Problem, desired, invocation, library, report, state, trigger

from versions import Step, Version, next_step

log = logging.getLogger(__name__)

plugin = Plugin(
    schema={
        "type": "object",
        "properties": {
            "versions": {"type": "string", "description": "library file with the version to use, by minor version"},
        },
        "required": ["versions"],
        "additionalProperties": False,
    }
)


@plugin.reconcile
def reconcile() -> None:
    versions = versions_in(invocation.config()["versions"])
    steps = {name_of(pool): step_of(pool, versions) for pool in pools()}
    for name, step in steps.items():
        if step.version is not None:
            log.info("machine pool goes on", extra={"pool": name, "version": step.version})
            # The one field that is ours; taken over from whoever wrote it first.
            desired.apply(with_version(name, step.version), field_manager_suffix=":version", force=True)
    tell(steps)


def versions_in(path: str) -> dict[str, str]:
    """The file is written by people: say what is wrong with it."""
    found = library.read_json(path)
    if not isinstance(found, dict):
        raise InvalidInput(f"library file {path!r}: expected an object of versions by minor version")
    for minor, text in found.items():
        try:
            version = Version.parse(text)
        except (TypeError, ValueError):
            raise InvalidInput(f"library file {path!r}: {minor!r} has no version, but {text!r}") from None
        if f"{version.major}.{version.minor}" != minor:
            raise InvalidInput(f"library file {path!r}: {minor!r} has {text!r}, which is of another minor version")
    return found


def pools() -> Iterator[Object]:
    """The pools of the cluster that started this call, itself or by a pool of it; else all."""
    machine_pools = state.context("machine-pools")
    event = trigger.event()
    if event is None:
        yield from machine_pools
    elif event.kind == "MachinePool":
        pool = machine_pools.get(event.namespace, event.name)
        if pool is not None:
            yield pool
    else:
        for cluster in state.context("clusters"):
            if cluster["spec"]["controlPlaneRef"]["name"] == event.name:
                of_cluster = f"cluster.x-k8s.io/cluster-name={cluster['metadata']['name']}"
                yield from machine_pools.read(machine_pools.select(of_cluster))


def step_of(pool: Object, versions: dict[str, str]) -> Step:
    namespace, cluster_name = pool["metadata"]["namespace"], pool["spec"]["clusterName"]
    cluster = state.context("clusters").get(namespace, cluster_name)
    if cluster is None:
        return Step(waits=f"there is no Cluster {cluster_name}")
    reference = cluster["spec"]["controlPlaneRef"]["name"]
    control_plane = state.context("control-planes").get(namespace, reference)
    if control_plane is None:
        return Step(waits=f"there is no control plane {reference}")
    return next_step(pool, {"status": {}, **control_plane}, versions)


def name_of(pool: Object) -> str:
    name: str = pool["metadata"]["name"]
    return name


def with_version(name: str, version: str) -> Object:
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "MachinePool",
        "metadata": {"name": name},
        "spec": {"template": {"spec": {"version": version}}},
    }


def tell(steps: dict[str, Step]) -> None:
    going = [f"{name} to {step.version}" for name, step in steps.items() if step.version]
    waiting = [f"{name}: {step.waits}" for name, step in steps.items() if step.waits]
    stuck = [f"{name}: {step.stuck}" for name, step in steps.items() if step.stuck]
    report.message(f"{len(steps)} pools, {len(going) + len(waiting)} on their way")
    if stuck:
        report.condition("InStep", False, "Stuck", "; ".join(stuck))
    elif going or waiting:
        report.condition("InStep", False, "OnTheWay", "; ".join(going + waiting))
    else:
        report.condition("InStep", True, "SameVersion", "every pool has the version of its control plane")
    if waiting:
        report.waiting("PoolsWait", "; ".join(waiting))


@plugin.validate
def validate(config: Any, role: str) -> Iterator[Problem]:
    if not config["versions"].endswith(".json"):
        yield Problem("/versions", f"must name a .json file, is {config['versions']!r}")
